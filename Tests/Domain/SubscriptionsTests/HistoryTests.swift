import Subscriptions
import Testing

/// `at=` and `knownAt=`.
@Suite struct HistoryTests {
    private let rules = DerivationRules()

    @Test("before the first fact there is no state; at the first there is")
    func begins() {
        let history = StreamHistory([bundle(.notification, [RuleTests.month], renewal(signed: 0), status(1, asOf: 0))])
        #expect(history.snapshot(at: just(before: day(0)), rules: self.rules) == nil)
        #expect(history.snapshot(at: day(0), rules: self.rules)?.state == .subscribed)
        #expect(StreamHistory([]).snapshot(at: day(0), rules: self.rules) == nil)
    }

    @Test("a renewal signed ahead counts from its signature")
    func signedAhead() {
        let history = StreamHistory([bundle(.notification, [transaction(101, from: 1, to: 31, signed: 0.5)])])
        #expect(history.snapshot(at: just(before: day(0.5)), rules: self.rules) == nil)
        #expect(history.snapshot(at: day(0.5), rules: self.rules)?.state == .subscribed)
    }

    @Test("the past is told by every period of the log, not by the kept four")
    func wholeLog() {
        var customer = Customer()
        let bundles = [customer.subscribe("basic.monthly")] + (0..<8).map { _ in customer.renew() }
        let history = StreamHistory(bundles)
        for (index, transaction) in customer.transactions.enumerated() {
            let snapshot = history.snapshot(at: transaction.purchaseDate! + .days(3), rules: self.rules)
            #expect(snapshot?.transactionID == customer.transactions[index].transactionID)
        }
        #expect(StreamState(.subscription, bundles).facts.periods.count == 4)
    }

    @Test("at= uses what is known now, knownAt= what had been recorded then")
    func lateRefund() {
        let refund = transaction(100, from: 0, to: 30, signed: 9) { $0.revocationDate = day(8) }
        let history = StreamHistory(
            key: .subscription,
            events: [
                (day(0), SubscriptionEvent(bundle(.notification, [RuleTests.month]))),
                (day(12), SubscriptionEvent(bundle(.notification, [refund]))),
            ])
        #expect(history.snapshot(at: day(10), rules: self.rules)?.state == .revoked)
        #expect(history.snapshot(at: day(10), rules: self.rules)?.revocation?.date == day(8))
        #expect(history.snapshot(at: day(7), rules: self.rules)?.revocation == nil, "it had not happened")
        #expect(history.snapshot(at: day(10), knownAt: day(10), rules: self.rules)?.state == .subscribed)
        #expect(history.snapshot(at: day(10), knownAt: day(12), rules: self.rules)?.state == .revoked)
        #expect(history.snapshot(at: day(10), knownAt: just(before: day(0)), rules: self.rules) == nil)
    }

    // MARK: What was true, and no longer is

    private static func refund(_ transaction: TransactionInfo, at date: Double) -> TransactionInfo {
        var refunded = transaction
        (refunded.signedDate, refunded.digest) = (day(date), digest(Int(date * 1_000)))
        refunded.revocationDate = day(date)
        return refunded
    }

    private static func signed(_ transaction: TransactionInfo, at date: Double) -> TransactionInfo {
        var again = transaction
        (again.signedDate, again.digest) = (day(date), digest(Int(date * 1_000)))
        return again
    }

    @Test("a refund of a coming period counts until it is taken back")
    func takenBackRefund() {
        let ahead = transaction(101, from: 30, to: 60, signed: 29)
        let history = StreamHistory([
            bundle(.notification, [RuleTests.month], renewal(signed: 0), status(1, asOf: 0)),
            bundle(.notification, [ahead], renewal(signed: 29), status(1, asOf: 29)),
            bundle(.notification, [Self.refund(ahead, at: 29.2)], renewal(signed: 29.2), status(1, asOf: 29.2)),
            bundle(.notification, [transaction(102, from: 31, to: 61)], renewal(signed: 31), status(1, asOf: 31)),
            bundle(.notification, [Self.signed(ahead, at: 35)], renewal(signed: 35), status(1, asOf: 35)),
        ])
        func state(_ moment: Moment, knownAt: Int64 = 4) -> LifecycleState? {
            history.snapshot(at: moment, knownAt: Moment(milliseconds: knownAt), rules: self.rules)?.state
        }
        #expect(state(just(before: day(30))) == .subscribed)
        #expect(history.snapshot(at: day(29.5), rules: self.rules)?.validUntil == day(30))
        #expect(state(day(30)) == .revoked)
        #expect(history.snapshot(at: day(30.5), rules: self.rules)?.entitled == false)
        #expect(history.snapshot(at: day(30.5), rules: self.rules)?.revocation?.date == day(29.2))
        #expect(state(just(before: day(31))) == .revoked)
        #expect(state(day(31)) == .subscribed)
        #expect(state(day(30.5), knownAt: 3) == .revoked)
        #expect(state(day(30.5), knownAt: 1) == .subscribed)
    }

    @Test("of a purchase too, each refund for its own time, and whichever of its copies told it")
    func takenBackRefundOfPurchase() {
        let bought = PurchaseTests.bought
        let copy = transaction(105, from: 0, to: nil, signed: 9, product: "lifetime") {
            ($0.productType, $0.revocationDate) = (bought.productType, day(8))
        }
        let history = StreamHistory(
            [
                bought, Self.refund(bought, at: 8), Self.signed(bought, at: 12), Self.refund(bought, at: 20), copy,
                Self.signed(bought, at: 25), Self.signed(bought, at: 40),
            ].map { bundle(.notification, [$0]) }, key: .purchase)
        let states = [1, 7.9, 8, 11.9, 12, 19.9, 20, 24.9, 25, 50].map {
            history.snapshot(at: day($0), rules: self.rules)?.state
        }
        #expect(states == [.owned, .owned, .revoked, .revoked, .owned, .owned, .revoked, .revoked, .owned, .owned])
        #expect(history.snapshot(at: day(10), rules: self.rules)?.revocation?.date == day(8))
        #expect(history.snapshot(at: day(21), rules: self.rules)?.revocation?.date == day(20))
        #expect(history.snapshot(at: day(50), rules: self.rules)?.revocation == nil)
    }

    private typealias Word = (id: Int, signed: Double, refund: Double?)

    private static func states(_ words: [Word], at days: [Double]) -> [LifecycleState?] {
        let history = StreamHistory(
            words.map { word in
                var info = transaction(word.id, from: 0, to: 30, signed: word.signed) {
                    $0.webOrderLineItemID = "w100"
                    $0.digest = digest(word.id * 100 + Int(word.signed * 2))
                }
                info.revocationDate = word.refund.map(day)
                return bundle(.notification, [info])
            })
        return days.map { history.snapshot(at: day($0), rules: DerivationRules())?.state }
    }

    @Test func `each of two refunds counts for its own time, whatever copies knew of them`() {
        let refunds: [Word] = [(100, 0, nil), (100, 5, 5), (100, 11, nil), (100, 17, 17)]
        let copies: [[Word]] = [[], [(105, 7, 5)], [(105, 7, 5), (105, 19, 17)], [(101, 7, 5), (105, 19, 17)]]
        for copies in copies {
            #expect(
                Self.states(refunds + copies, at: [4, 6, 10, 12, 16, 18])
                    == [.subscribed, .revoked, .revoked, .subscribed, .subscribed, .revoked])
        }
    }

    @Test func `a refund counts until another one was signed in its place, though no version took it back`() {
        let refunds: [Word] = [(100, 0, nil), (100, 5, 5), (100, 17, 17)]
        #expect(
            Self.states(refunds, at: [4, 6, 10, 16, 18]) == [.subscribed, .revoked, .revoked, .revoked, .revoked])
        let corrected: [Word] = [(100, 0, nil), (100, 5, 5), (100, 10, 8)]
        #expect(Self.states(corrected, at: [4, 6, 9]) == [.subscribed, .revoked, .revoked])
    }

    @Test func `a copy that is signed later does not put off what a refund ends`() {
        func word(_ id: Int, signed: Double, refund: Double? = nil) -> TransactionInfo {
            transaction(id, from: 0, to: 30, signed: signed) {
                ($0.webOrderLineItemID, $0.digest) = ("w100", digest(id * 100 + Int(signed)))
                $0.revocationDate = refund.map(day)
            }
        }
        let copies = [[], [word(105, signed: 19)], [word(105, signed: 19), word(100, signed: 20, refund: 14)]]
        for copies in copies {
            let history = StreamHistory(
                [bundle(.notification, [word(100, signed: 0)], renewal(signed: 0), status(1, asOf: 0))]
                    + ([word(105, signed: 1), word(100, signed: 14, refund: 14)] + copies).map { bundle(.client, [$0]) }
                    + [bundle(.notification, [word(100, signed: 14, refund: 14)])])
            #expect(history.snapshot(at: day(12), rules: self.rules)?.validUntil == day(14))
            #expect(history.snapshot(at: day(17), rules: self.rules)?.state == .revoked)
        }
    }

    @Test("that a refund is signed again later does not put off what it ended")
    func signedAgain() {
        let refunded = Self.refund(RuleTests.month, at: 8)
        let history = StreamHistory([
            bundle(.notification, [RuleTests.month], renewal(signed: 0), status(1, asOf: 0)),
            bundle(.notification, [refunded]), bundle(.client, [Self.signed(refunded, at: 20)]),
        ])
        #expect(history.snapshot(at: just(before: day(8)), rules: self.rules)?.state == .subscribed)
        #expect(history.snapshot(at: day(15), rules: self.rules)?.state == .revoked)
        #expect(history.snapshot(at: day(20), rules: self.rules)?.state == .revoked)
    }

    @Test("grace that Apple has answered is grace, though the payment that came later counts from before")
    func paidLater() {
        let failing = renewal(signed: 31) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(46)) }
        let history = StreamHistory([
            bundle(.notification, [RuleTests.month], renewal(signed: 0), status(1, asOf: 0)),
            bundle(.statuses, [RuleTests.month], failing, status(4, asOf: 31, unsigned: .init(purchaseDate: day(0)))),
            bundle(
                .notification, [transaction(101, from: 30, to: 60, signed: 35)], renewal(signed: 35),
                status(1, asOf: 35)),
        ])
        #expect(history.snapshot(at: day(33), rules: self.rules)?.state == .grace)
        #expect(history.snapshot(at: day(33), rules: self.rules)?.transactionID?.rawValue == "101")
        #expect(history.snapshot(at: day(35), rules: self.rules)?.state == .subscribed)
    }

    @Test("the renewal info is the one of then")
    func renewalOfThen() {
        let history = StreamHistory([
            bundle(.notification, [RuleTests.month], renewal(signed: 0)),
            bundle(.notification, [RuleTests.month], renewal(signed: 10, autoRenew: false)),
        ])
        #expect(history.snapshot(at: just(before: day(10)), rules: self.rules)?.autoRenew == true)
        #expect(history.snapshot(at: day(10), rules: self.rules)?.autoRenew == false)
    }
}
