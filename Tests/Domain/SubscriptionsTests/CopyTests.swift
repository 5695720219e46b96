import Subscriptions
import Testing

/// Apple gives one purchase a new `transactionId` on each device and with each restore. However many there are, a period is
/// one payment: copies neither push its refund out of what is kept nor undo it, and are not told as purchases.
@Suite struct CopyTests {
    private static let rules = DerivationRules()

    // MARK: One-time purchases

    private static let unlock = transaction(100, from: 0, to: nil, product: "lifetime") {
        $0.productType = "Non-Consumable"
        $0.webOrderLineItemID = nil
    }
    private static let refunded = Self.refund(Self.unlock, at: 8)

    private static func refund(_ transaction: TransactionInfo, at date: Double) -> TransactionInfo {
        var refunded = transaction
        refunded.signedDate = day(date)
        refunded.digest = digest(Int(date * 1_000) + 5_000)
        refunded.revocationDate = day(date)
        refunded.revocationReason = .other
        refunded.revocationType = "REFUND_FULL"
        refunded.revocationPercentage = 100_000
        return refunded
    }

    /// Under another id, as a device has it after a restore.
    private static func copy(
        _ id: Int, of transaction: TransactionInfo, signed: Double? = nil, bought: Double? = nil
    ) -> TransactionInfo {
        var copy = transaction
        copy.transactionID = TransactionID(rawValue: "\(id)")
        copy.digest = digest(id)
        if let signed { copy.signedDate = day(signed) }
        if let bought { copy.purchaseDate = day(bought) }
        return copy
    }

    private static let copies = (101...104).map { Self.copy($0, of: Self.unlock, signed: 1) }

    @Test("a refund counts after four copies", arguments: [EventSource.notification, .client])
    func refundAfterCopies(_ source: EventSource) throws {
        var state = StreamState(key: .purchase)
        var log = state.receive(bundle(.notification, [Self.unlock]))
        for copy in Self.copies { log += state.receive(bundle(source, [copy])) }
        log += state.receive(bundle(.notification, [Self.refunded]))
        for state in [state, log.reduce(into: StreamState(key: .purchase)) { $0.apply($1) }] {
            let snapshot = try #require(state.snapshot(at: day(9), rules: Self.rules))
            #expect(snapshot.state == .revoked)
            #expect(!snapshot.entitled)
            #expect(snapshot.revocation?.date == day(8))
            #expect(snapshot.revocation?.type == "REFUND_FULL")
            #expect(snapshot.transactionID == Self.unlock.transactionID)
        }
    }

    @Test("and four older copies after it do not undo it")
    func copiesAfterRefund() throws {
        var state = StreamState(key: .purchase)
        _ = state.receive(bundle(.notification, [Self.refunded]))
        for copy in Self.copies { _ = state.receive(bundle(.client, [copy])) }
        let snapshot = try #require(state.snapshot(at: day(9), rules: Self.rules))
        #expect(snapshot.state == .revoked)
        #expect(snapshot.revocation?.date == day(8))
    }

    @Test("one payment is told as one purchase, whichever of its transactions comes first; a copy is noted")
    func copyIsNoted() {
        for order in [[Self.unlock] + Self.copies, Self.copies + [Self.unlock]] {
            var state = StreamState(key: .purchase)
            let kinds = order.flatMap { state.receive(bundle(.notification, [$0])) }.map(\.kind)
            #expect(kinds == [.oneTimePurchased] + kinds.dropFirst().map { _ in .noted })
        }
        var state = StreamState(key: .purchase)
        #expect(state.receive(bundle(.client, [Self.unlock])).map(\.changes) == [[.oneTimePurchased]])
        #expect(state.receive(bundle(.client, [Self.copies[0]])).map(\.changes) == [[.noted]])
        #expect(state.receive(bundle(.client, [Self.copy(101, of: Self.unlock, signed: 3)])) == [])
    }

    @Test("a non-renewing purchase runs from the first purchase date, not from its restores")
    func earliestPurchaseDate() {
        let rules = DerivationRules(nonRenewingDuration: ["lifetime": .days(7)])
        let restored = Self.copy(101, of: Self.unlock, signed: 5, bought: 5)
        for order in [[Self.unlock, restored], [restored, Self.unlock]] {
            let state = StreamState(.purchase, order.map { bundle(.notification, [$0]) })
            #expect(state.snapshot(at: day(6), rules: rules)?.validUntil == day(7))
            #expect(state.snapshot(at: day(6), rules: rules)?.purchaseDate == day(0))
        }
    }

    @Test("a refund that is taken back counts for no copy any more, a second one does")
    func takenBack() {
        var returned = Self.unlock
        (returned.signedDate, returned.digest) = (day(12), digest(12_000))
        let state = StreamState(
            .purchase,
            [Self.refunded, Self.copy(102, of: Self.refunded), Self.copy(103, of: Self.unlock), returned].map {
                bundle(.notification, [$0])
            })
        #expect(state.snapshot(at: day(13), rules: Self.rules)?.state == .owned)
        var again = state
        again.apply(SubscriptionEvent(bundle(.notification, [Self.refund(Self.copy(102, of: Self.unlock), at: 20)])))
        #expect(again.snapshot(at: day(21), rules: Self.rules)?.state == .revoked)
        #expect(again.snapshot(at: day(21), rules: Self.rules)?.revocation?.date == day(20))
    }

    /// What Apple signed of a transaction on some day: refunded on day 8, or not.
    private static func word(_ id: Int, signed: Double, isRefunded: Bool, item: String? = "w100") -> FactBundle {
        var info = Self.copy(id, of: isRefunded ? Self.refund(Self.month, at: 8) : Self.month, signed: signed)
        info.webOrderLineItemID = item
        info.digest = digest(id * 100 + Int(signed))
        return bundle(.notification, [info])
    }

    @Test func `what a copy takes back does not undo the refund of another transaction`() {
        let refunds = [
            Self.word(100, signed: 0, isRefunded: false), Self.word(100, signed: 8, isRefunded: true),
            Self.word(105, signed: 9, isRefunded: true), Self.word(105, signed: 14, isRefunded: false),
        ]
        for bundles in [refunds, refunds + [Self.word(100, signed: 18, isRefunded: true)]] {
            let state = StreamState(.subscription, bundles)
            #expect(state.snapshot(at: day(20), rules: Self.rules)?.state == .revoked)
        }
    }

    @Test func `what the refunded transaction takes back is taken back for copies that were signed before`() {
        let reversal = [
            Self.word(100, signed: 8, isRefunded: true), Self.word(105, signed: 9, isRefunded: true),
            Self.word(100, signed: 14, isRefunded: false),
        ]
        let state = StreamState(.subscription, reversal)
        #expect(state.snapshot(at: day(20), rules: Self.rules)?.state == .subscribed)
        let later = StreamState(.subscription, reversal + [Self.word(105, signed: 15, isRefunded: true)])
        #expect(later.snapshot(at: day(20), rules: Self.rules)?.state == .revoked)
    }

    @Test func `a refund that was told without the line item is taken back with it, for copies too`() {
        let state = StreamState(
            .subscription,
            [
                Self.word(100, signed: 8, isRefunded: true, item: nil), Self.word(105, signed: 9, isRefunded: true),
                Self.word(100, signed: 14, isRefunded: false),
            ])
        #expect(state.snapshot(at: day(20), rules: Self.rules)?.state == .subscribed)
    }

    @Test func `a refund of a transaction beyond the four kept holds until a newer version of its period is signed`() {
        let copies = (1...4).map { Self.word($0, signed: 1, isRefunded: false) }
        let refund = Self.word(100, signed: 8, isRefunded: true)
        let state = StreamState(.subscription, copies + [refund])
        #expect(state.snapshot(at: day(20), rules: Self.rules)?.state == .revoked)
        for next in [Self.word(100, signed: 14, isRefunded: false), Self.word(2, signed: 14, isRefunded: false)] {
            let bundles = copies + [refund, next]
            #expect(StreamState(.subscription, bundles).snapshot(at: day(20), rules: Self.rules)?.state == .subscribed)
            let states = [7.9, 8, 13.9, 14, 20].map {
                StreamHistory(bundles).snapshot(at: day($0), rules: Self.rules)?.state
            }
            #expect(states == [.subscribed, .revoked, .revoked, .subscribed, .subscribed])
        }
    }

    // MARK: Subscriptions

    private static let month = RuleTests.month

    private static func monthCopies(of transaction: TransactionInfo) -> [TransactionInfo] {
        (901...904).map { Self.copy($0, of: transaction) }
    }

    @Test("a refund without a status revokes a subscription that has copies")
    func refundWithoutStatus() {
        let state = StreamState(
            .subscription,
            [bundle(.notification, [Self.month], renewal(signed: 0), status(1, asOf: 0))]
                + Self.monthCopies(of: Self.month).map { bundle(.client, [$0]) }
                + [bundle(.notification, [Self.refund(Self.month, at: 8)])])
        #expect(state.snapshot(at: day(9), rules: Self.rules)?.state == .revoked)
    }

    @Test("with status 5 the revocation is shown, and a later word without a status does not undo it")
    func laterWordWithoutStatus() {
        let refund = Self.refund(Self.month, at: 8)
        var state = StreamState(
            .subscription,
            [bundle(.notification, [Self.month], renewal(signed: 0), status(1, asOf: 0))]
                + Self.monthCopies(of: Self.month).map { bundle(.client, [$0]) }
                + [bundle(.notification, [refund], nil, status(5, asOf: 8))])
        #expect(state.snapshot(at: day(9), rules: Self.rules)?.revocation?.date == day(8))
        state.apply(SubscriptionEvent(bundle(.client, [Self.copy(905, of: Self.month, signed: 10)])))
        state.apply(SubscriptionEvent(bundle(.notification, [], renewal(signed: 11))))
        #expect(state.snapshot(at: day(12), rules: Self.rules)?.state == .revoked)
    }

    @Test("copies of a renewal ahead do not bring its product before it starts")
    func renewalAhead() {
        let ahead = transaction(101, from: 30, to: 60, signed: 29, product: "basic.monthly")
        let state = StreamState(
            .subscription,
            [bundle(.notification, [Self.month], renewal(signed: 0))]
                + ([ahead] + Self.monthCopies(of: ahead)).map { bundle(.client, [$0]) })
        let snapshot = state.snapshot(at: day(29.5), rules: Self.rules)
        #expect(snapshot?.productID == "pro.monthly")
        #expect(snapshot?.transactionID == Self.month.transactionID)
        #expect(state.facts.periods.count == 2)
    }

    @Test("a copy of a period that lies behind the kept four is no purchase of today")
    func copyOfCurrentIsNoRenewal() {
        var customer = Customer()
        let bundles = [customer.subscribe()] + (0..<6).map { _ in customer.renew() }
        var state = StreamState(.subscription, bundles)
        for (index, transaction) in customer.transactions.enumerated() {
            let copy = Self.copy(910 + index, of: transaction)
            #expect(state.receive(bundle(.notification, [copy])).map(\.kind) == [.noted])
        }
    }

    @Test("the first known of a subscription is its beginning, under whatever id")
    func firstIsACopy() {
        var customer = Customer()
        let first = customer.subscribe()
        var state = StreamState(key: .subscription)
        let copy = Self.copy(990, of: first.facts.transactions[0])
        #expect(state.receive(bundle(.client, [copy]))[0].kind == .subscribed)
        #expect(state.receive(first)[0].changes.contains(.subscribed) == false)
    }

    // MARK: Oddities

    @Test("where a copy lacks its line item, or names another one, a refund counts all the same")
    func oddLineItems() throws {
        let refund = bundle(.notification, [Self.refund(Self.month, at: 8)])
        for item in [nil, "", "other", String(repeating: "w", count: 25)] as [String?] {
            for id in [100, 905] where id == 100 || item != "other" {
                var odd = Self.copy(id, of: Self.month, signed: 3)
                odd.webOrderLineItemID = item
                try RuleCase(
                    "\(item ?? "none") of \(id)",
                    [bundle(.notification, [Self.month]), bundle(.client, [odd]), refund],
                    [(day(9), .revoked)]
                ).check(rules: Self.rules)
                var state = StreamState(.subscription, [bundle(.notification, [Self.month])])
                #expect(state.receive(bundle(.notification, [odd])).map(\.kind) == [.noted])
            }
        }
    }

    @Test("ids that no state keeps still say what they were signed to say, until something newer is signed")
    func idsBeyondTheKept() {
        let copies = (101...104).map { Self.copy($0, of: Self.unlock) }
        for id in ["105", String(repeating: "9", count: 128)] {
            var refunded = Self.refunded
            refunded.transactionID = TransactionID(rawValue: id)
            let state = StreamState(
                .purchase, ([Self.unlock] + copies + [refunded]).map { bundle(.notification, [$0]) })
            #expect(state.snapshot(at: day(9), rules: Self.rules)?.state == .revoked)
            #expect(state.facts.periods[0].versions.map(\.transactionID.rawValue) == ["100", "101", "102", "103"])
        }
    }

    @Test("the kept transactions are those with the smallest numbers, whatever the order")
    func smallestNumbers() {
        let ids = [100, 99, 1_000, 7, 50_000, 101, 98]
        for _ in 0..<20 {
            let state = StreamState(
                .purchase, ids.shuffled().map { bundle(.client, [Self.copy($0, of: Self.unlock, signed: 1)]) })
            #expect(state.facts.periods[0].versions.map(\.transactionID.rawValue) == ["7", "98", "99", "100"])
        }
    }
}
