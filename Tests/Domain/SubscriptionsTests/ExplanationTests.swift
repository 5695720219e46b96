import Subscriptions
import Testing

/// `subscription explain`.
@Suite struct ExplanationTests {
    @Test(arguments: [
        (nil as Int64?, renewal(signed: 0, autoRenew: true), 29.0, 5),
        (1, renewal(signed: 0, autoRenew: true), 29.0, 3),
        (nil, renewal(signed: 0, autoRenew: true), 30.0, 8), (nil, renewal(signed: 0, autoRenew: false), 30.0, 9),
        (nil, renewal(signed: 0) { $0.gracePeriodExpiresDate = day(40) }, 30.0, 6),
        (nil, renewal(signed: 0) { $0.isInBillingRetryPeriod = true }, 30.0, 7),
    ])
    func namesTheRule(_ number: Int64?, _ renewal: RenewalInfo, _ moment: Double, _ rule: Int) throws {
        let given = bundle(.notification, [RuleTests.month], renewal, number.map { status($0, asOf: 1) })
        let state = StreamState(.subscription, [given])
        let steps = state.explain(at: day(moment), rules: DerivationRules())
        #expect(steps.map(\.rule) == [1, 2, 3, rule])
        #expect(steps[0].facts == [.transaction(TransactionID(rawValue: "100"), signedDate: day(0))])
        #expect(steps[1].sentence == "It is paid until 2026-05-31T00:00:00.000Z.")
        let snapshot = try #require(state.snapshot(at: day(moment), rules: DerivationRules()))
        #expect(steps[3].sentence.contains(snapshot.state.rawValue))
    }

    @Test("a protected answer says why")
    func protected() {
        let state = StreamState(
            .subscription, [bundle(.notification, [RuleTests.month]), bundle(.client, [VouchingTests.refunded])])
        #expect(state.explain(at: day(9), rules: DerivationRules()).map(\.rule) == [1, 2, 3, 0, 5])
        #expect(state.explain(at: day(31), rules: DerivationRules()).map(\.rule) == [1, 2, 3, 4])
    }

    @Test("a status that came after its bound says until when it holds")
    func late() {
        let given = bundle(.notification, [RuleTests.month], renewal(signed: 34), status(4, asOf: 34))
        let steps = StreamState(.subscription, [given]).explain(at: day(34), rules: DerivationRules())
        #expect(steps.map(\.rule) == [1, 2, 3, 3])
        #expect(steps[2].sentence.contains("it holds for a day, until \(day(35)), and Apple is asked again."))
    }

    @Test("a consumable gives no access, and that is why")
    func consumable() {
        let state = StreamState(.purchase, [bundle(.notification, [PurchaseTests.coins])])
        let steps = state.explain(at: day(1), rules: DerivationRules())
        #expect(steps.map(\.sentence).last == "A consumable gives no access: owned.")
    }

    @Test("without facts there is nothing to explain")
    func nothing() { #expect(StreamState(key: .subscription).explain(at: day(0), rules: DerivationRules()) == []) }

    @Test(
        "moments are written as RFC 3339, as far as it goes",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_709_164_800_123, "2024-02-29T00:00:00.123Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "253402300800000"), (Int64.min, "\(Int64.min)"), (Int64.max, "\(Int64.max)"),
        ])
    func moments(_ milliseconds: Int64, _ text: String) {
        #expect(Moment(milliseconds: milliseconds).description == text)
    }
}
