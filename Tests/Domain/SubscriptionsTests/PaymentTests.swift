import Subscriptions
import Testing

/// How a customer pays for what a stream gives.
@Suite struct PaymentTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key = StreamKey.subscription
        let bundles: [FactBundle]
        /// By days.
        let payments: [(day: Double, payment: Payment?)]
    }

    private static func period(
        _ id: Int, from start: Double, to end: Double?, price: Int64?,
        _ change: (inout TransactionInfo) -> Void = { _ in }
    ) -> TransactionInfo {
        transaction(id, from: start, to: end) {
            $0.price = price
            change(&$0)
        }
    }

    private static func bought(_ type: String, price: Int64? = 9_990) -> [FactBundle] {
        [bundle(.notification, [Self.period(100, from: 0, to: nil, price: price) { $0.productType = type }])]
    }

    static let cases = [
        Case(
            testDescription: "a paid period that renews",
            bundles: [bundle(.notification, [period(100, from: 0, to: 30, price: 9_990)], renewal(signed: 0))],
            payments: [(0, .renewing), (29, .renewing)]),
        Case(
            testDescription: "without renewal info it may renew",
            bundles: [bundle(.client, [period(100, from: 0, to: 30, price: 9_990)])], payments: [(1, .renewing)]),
        Case(
            testDescription: "auto-renew off",
            bundles: [
                bundle(
                    .notification, [period(100, from: 0, to: 30, price: 9_990)], renewal(signed: 1, autoRenew: false))
            ],
            payments: [(2, nil)]),
        Case(
            testDescription: "auto-renew off within a commitment",
            bundles: [
                bundle(
                    .notification,
                    [
                        period(100, from: 0, to: 30, price: 9_990) {
                            var commitment = TransactionInfo.Commitment()
                            commitment.commitmentExpiresDate = day(360)
                            $0.commitment = commitment
                        }
                    ], renewal(signed: 1, autoRenew: false))
            ],
            payments: [(2, .renewing)]),
        Case(
            testDescription: "a free trial, until the paid period begins that was signed before",
            bundles: [
                bundle(.notification, [period(100, from: 0, to: 7, price: 0)], renewal(signed: 0)),
                bundle(.notification, [period(101, from: 7, to: 37, price: 9_990) { $0.signedDate = day(6.5) }]),
            ],
            payments: [(0, nil), (6.9, nil), (7, .renewing), (30, .renewing)]),
        Case(
            testDescription: "a price that is not known",
            bundles: [bundle(.notification, [period(100, from: 0, to: 30, price: nil)], renewal(signed: 0))],
            payments: [(1, nil)]),
        Case(
            testDescription: "a non-consumable", key: .purchase, bundles: bought("Non-Consumable"),
            payments: [(0, .lifetime), (9_999, .lifetime)]),
        Case(
            testDescription: "a non-consumable for nothing", key: .purchase,
            bundles: bought("Non-Consumable", price: 0),
            payments: [(0, nil)]),
        Case(
            testDescription: "a type that is not known yet", key: .purchase, bundles: bought("Hologram"),
            payments: [(0, .lifetime)]),
        Case(
            testDescription: "a non-renewing subscription", key: .purchase,
            bundles: bought("Non-Renewing Subscription"), payments: [(0, nil)]),
        Case(testDescription: "a consumable", key: .purchase, bundles: bought("Consumable"), payments: [(0, nil)]),
    ]

    @Test(arguments: cases) func pays(_ given: Case) {
        let state = StreamState(given.key, given.bundles)
        let outlook = Outlook(state, rules: DerivationRules())
        for (moment, payment) in given.payments {
            #expect(state.payment(at: day(moment)) == payment, "day \(moment)")
            #expect(outlook?.payment(at: day(moment)) == payment, "day \(moment)")
        }
    }

    @Test func `without a fact nothing is paid`() {
        #expect(StreamState(key: .subscription).payment(at: day(1)) == nil)
    }

    @Test func `a price that was not kept comes later without an event, and is known then`() {
        let unpriced = bundle(.notification, [Self.period(100, from: 0, to: 30, price: nil)], renewal(signed: 0))
        let state = StreamState(.subscription, [unpriced])
        let priced = bundle(
            .statuses,
            [
                Self.period(100, from: 0, to: 30, price: 9_990) {
                    $0.signedDate = day(1)
                    $0.digest = digest(7)
                }
            ])
        // Once a day what Apple has confirmed is noted, and nothing else.
        let events = state.decide(priced, rules: DerivationRules())
        #expect(events.map(\.kind) == [.confirmed])
        #expect(state.merging(priced.facts, source: .statuses).payment(at: day(2)) == .renewing)
    }
}
