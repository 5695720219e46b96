import Subscriptions
import Testing

/// "A fact from a client or from history alone never ends access that was running before Apple has been asked."
@Suite struct VouchingTests {
    static let month = RuleTests.month
    static let refunded = transaction(100, from: 0, to: 30, signed: 9) { $0.revocationDate = day(8) }
    static let shortened = transaction(100, from: 0, to: 10, signed: 9)
    static let off = renewal(signed: 9, autoRenew: false)

    @Test(arguments: [
        RuleCase(
            "a refund from a client leaves access until the end and the leeway",
            [bundle(.notification, [month]), bundle(.client, [refunded])],
            [
                (day(9), .subscribed(day(30) + leeway).incompletely),
                (day(30), .awaiting(day(30) + leeway).incompletely),
                (day(30) + leeway, .revoked),
            ]),
        RuleCase(
            "from history too", [bundle(.notification, [month]), bundle(.history, [refunded])],
            [(day(9), .subscribed(day(30) + leeway).incompletely)]),
        RuleCase(
            "and when the access itself was known only from a client",
            [bundle(.client, [month]), bundle(.client, [refunded])],
            [(day(9), .subscribed(day(30) + leeway).incompletely)]),
        RuleCase(
            "Apple's own word ends it at once",
            [bundle(.notification, [month]), bundle(.client, [refunded]), bundle(.statuses, [refunded])],
            [(day(9), .revoked)]),
        RuleCase(
            "a client's newer signature of what Apple has vouched for changes nothing",
            [
                bundle(.notification, [month]), bundle(.notification, [refunded]),
                bundle(.client, [transaction(100, from: 0, to: 30, signed: 12) { $0.revocationDate = day(8) }]),
            ],
            [(day(12), .revoked)]),
        RuleCase(
            "access that was never seen running does not begin with a refund", [bundle(.client, [refunded])],
            [(day(9), .revoked)]),
        RuleCase(
            "an earlier end does not count", [bundle(.notification, [month]), bundle(.client, [shortened])],
            [
                (just(before: day(10)), .subscribed(day(30) + leeway)),
                (day(11), .subscribed(day(30) + leeway).incompletely),
            ]),
        RuleCase(
            "auto-renew off takes the leeway away only when vouched for",
            [bundle(.notification, [month]), bundle(.client, [], off)],
            [
                (day(29), .subscribed(day(30) + leeway)), (day(30), .awaiting(day(30) + leeway).incompletely),
                (day(30) + leeway, .expired),
            ]),
        RuleCase(
            "vouched for by an older signature, it does",
            [bundle(.notification, [month], renewal(signed: 8, autoRenew: false)), bundle(.client, [], off)],
            [(day(30), .expired)]),
        RuleCase(
            "an intent, or billing retry, from a client takes no access within the leeway",
            [
                bundle(.notification, [month], renewal(signed: 0)),
                bundle(
                    .client, [],
                    renewal(signed: 30) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, .billingError) }),
            ],
            [(day(30), .awaiting(day(30) + leeway).incompletely), (day(30) + leeway, .retry)]),
        RuleCase(
            "what a client brings may always give access",
            [
                bundle(.notification, [month], renewal(signed: 0, autoRenew: false)),
                bundle(.client, [RuleTests.nextMonth]),
            ],
            [(day(31), .subscribed(day(60)))]),
    ])
    func answers(_ row: RuleCase) throws { try row.check() }
}
