import Subscriptions
import Testing

/// One-time purchases and non-renewing subscriptions.
@Suite struct PurchaseTests {
    static let bought = transaction(100, from: 0, to: nil, product: "lifetime") { $0.productType = "Non-Consumable" }
    static let pass = transaction(100, from: 0, to: nil, product: "pass") {
        $0.productType = "Non-Renewing Subscription"
    }
    static let coins = transaction(100, from: 0, to: nil, product: "pass") { $0.productType = "Consumable" }
    static let refunded = transaction(100, from: 0, to: nil, signed: 8, product: "lifetime") {
        $0.revocationDate = day(8)
    }
    static let rules = DerivationRules(nonRenewingDuration: ["pass": .days(7)])

    @Test(arguments: [
        RuleCase(
            "a purchase is owned for good", key: .purchase, [bundle(.notification, [bought])],
            [(day(9_999), .owned(nil))]),
        RuleCase(
            "a non-renewing subscription ends by its configured duration", key: .purchase,
            [bundle(.notification, [pass])],
            [(just(before: day(7)), .owned(day(7))), (day(7), .owned(nil))]),
        RuleCase(
            "as many times as long as many were bought", key: .purchase,
            [bundle(.notification, [transaction(100, from: 0, to: nil, product: "pass") { $0.quantity = 3 }])],
            [(just(before: day(21)), .owned(day(21))), (day(21), .owned(nil))]),
        RuleCase(
            "a refund revokes it", key: .purchase,
            [bundle(.notification, [bought]), bundle(.notification, [refunded])],
            [(just(before: day(8)), .owned(day(8))), (day(8), .revoked)]),
        RuleCase(
            "and of its restored copy too", key: .purchase,
            [
                bundle(.notification, [refunded]),
                bundle(.notification, [transaction(101, from: 5, to: nil, product: "lifetime")]),
            ],
            [(day(8), .revoked)]),
        RuleCase(
            "a refund that only a client tells of does not end access before Apple is asked", key: .purchase,
            [bundle(.notification, [bought]), bundle(.client, [refunded])], [(day(8), .owned(nil).incompletely)]),
        RuleCase(
            "nor does a refunded copy of it", key: .purchase,
            [
                bundle(.notification, [bought]),
                bundle(
                    .client,
                    [
                        transaction(101, from: 5, to: nil, signed: 8, product: "lifetime") {
                            $0.revocationDate = day(8)
                        }
                    ]),
            ],
            [(day(8), .owned(nil).incompletely)]),
        RuleCase(
            "the history is all that Apple says of purchases when asked, so it may end one", key: .purchase,
            [bundle(.notification, [bought]), bundle(.history, [refunded])], [(day(8), .revoked)]),
        RuleCase(
            "after a client told of it too", key: .purchase,
            [bundle(.client, [bought]), bundle(.client, [refunded]), bundle(.history, [refunded])],
            [(day(8), .revoked)]),
    ])
    func answers(_ row: RuleCase) throws { try row.check(rules: Self.rules) }

    @Test("a consumable is owned or revoked, and never access, whatever is configured for its product")
    func consumable() throws {
        let refund = transaction(100, from: 0, to: nil, signed: 8, product: "pass") {
            ($0.productType, $0.revocationDate) = ("Consumable", day(8))
        }
        for rules in [Self.rules, DerivationRules()] {
            let charge = bundle(.notification, [Self.coins])
            let owned = StreamState(.purchase, [charge])
            let revoked = StreamState(.purchase, [charge, bundle(.notification, [refund])])
            for moment in [day(0), day(6), day(9_999)] {
                let snapshot = try #require(owned.snapshot(at: moment, rules: rules))
                #expect(snapshot.state == .owned && !snapshot.entitled && snapshot.validUntil == nil)
                #expect(!snapshot.incomplete)
            }
            #expect(owned.nextTransition(after: day(0), rules: rules) == nil)
            let snapshot = try #require(revoked.snapshot(at: day(9), rules: rules))
            #expect(snapshot.state == .revoked && !snapshot.entitled)
            #expect(revoked.phases(from: day(0), rules: rules).allSatisfy { !$0.snapshot.entitled })
        }
    }

    @Test func `an unknown product type entitles for ever, with one anomaly`() throws {
        func signed(_ date: Double) -> TransactionInfo {
            transaction(100, from: 0, to: nil, signed: date, product: "album") { $0.productType = "Bundle" }
        }
        var state = StreamState(key: .purchase)
        let first = state.receive(bundle(.notification, [signed(0)]))
        #expect(first.map(\.kind) == [.oneTimePurchased, .anomaly])
        #expect(first.last?.detail?.contains("\"Bundle\"") == true)
        #expect(state.receive(bundle(.notification, [signed(1)])).allSatisfy { $0.kind != .anomaly })
        let snapshot = try #require(state.snapshot(at: day(9_999), rules: Self.rules))
        #expect(snapshot.entitled && snapshot.validUntil == nil)
    }

    @Test("a non-renewing subscription that is over is no longer access, and the timer says so")
    func ends() {
        let state = StreamState(.purchase, [bundle(.notification, [Self.pass])])
        #expect(state.snapshot(at: day(7), rules: Self.rules)?.entitled == false)
        #expect(state.nextTransition(after: day(0), rules: Self.rules) == Transition(name: .expired, due: day(7)))
    }

    @Test("what a client told is no more than that in the log that records it later")
    func unrecorded() {
        let refundedAgain = transaction(100, from: 0, to: nil, signed: 9, product: "lifetime") {
            $0.revocationDate = day(8)
        }
        var log = [bundle(.notification, [Self.bought]), bundle(.client, [Self.refunded])].map(SubscriptionEvent.init)
        var state = log.reduce(into: StreamState(key: .purchase)) { $0.apply($1) }
        #expect(state.receive(bundle(.client, [refundedAgain])) == [])
        log += state.receive(bundle(.notification, signed: day(10)))
        let replayed = log.reduce(into: StreamState(key: .purchase)) { $0.apply($1) }
        #expect(log.last?.kind == .watermarksRaised)
        #expect(replayed.snapshot(at: day(11), rules: Self.rules)?.state == .owned)
    }

    @Test("kinds: bought, refunded, given back")
    func kinds() {
        var state = StreamState(key: .purchase)
        let again = transaction(100, from: 0, to: nil, signed: 9, product: "lifetime")
        #expect(state.receive(bundle(.client, [Self.bought]))[0].kind == .oneTimePurchased)
        #expect(state.receive(bundle(.notification, [Self.refunded]))[0].kind == .refunded)
        #expect(state.receive(bundle(.notification, [again]))[0].kind == .refundReversed)
        #expect(state.snapshot(at: day(10), rules: Self.rules)?.state == .owned)
    }
}
