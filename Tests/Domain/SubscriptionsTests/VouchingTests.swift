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

    static let year = transaction(100, from: 0, to: 365, product: "pro.yearly")
    static let failing = renewal(signed: 30) {
        ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(46))
    }

    @Test(arguments: [
        RuleCase(
            "a copy of the period that was never seen running does not revoke it",
            [
                bundle(.notification, [month]),
                bundle(
                    .client,
                    [
                        transaction(101, from: 0, to: 30, signed: 9) {
                            ($0.webOrderLineItemID, $0.revocationDate) = ("w100", day(8))
                        }
                    ]),
            ],
            [(day(9), .subscribed(day(30) + leeway).incompletely), (day(30) + leeway, .revoked)]),
        RuleCase(
            "nor does a later purchase that was revoked before it was ever seen",
            [
                bundle(.notification, [month]),
                bundle(.client, [transaction(101, from: 7, to: 37, signed: 9) { $0.revocationDate = day(8) }]),
            ],
            [(day(9), .subscribed(day(30) + leeway).incompletely), (day(30) + leeway, .revoked)]),
        RuleCase(
            "even when all is from clients",
            [
                bundle(.client, [month]),
                bundle(.client, [transaction(101, from: 7, to: 37, signed: 9) { $0.revocationDate = day(8) }]),
            ],
            [(day(9), .subscribed(day(30) + leeway).incompletely)]),
        RuleCase(
            "a shorter period that only history knows does not replace a longer one",
            [bundle(.notification, [year]), bundle(.history, [transaction(101, from: 60, to: 90)])],
            [
                (day(80), .subscribed(day(365) + leeway)), (day(91), .subscribed(day(365) + leeway).incompletely),
                (day(365) + leeway, .expired),
            ]),
        RuleCase(
            "once Apple has spoken of it, it does",
            [
                bundle(.notification, [year]), bundle(.history, [transaction(101, from: 60, to: 90)]),
                bundle(.statuses, [transaction(101, from: 60, to: 90, signed: 85)]),
            ],
            [(day(80), .subscribed(day(90) + leeway)), (day(90) + leeway, .expired)]),
        RuleCase(
            "nor may a client take back the later period that a client brought",
            [
                bundle(.notification, [month]), bundle(.client, [RuleTests.nextMonth]),
                bundle(.client, [transaction(101, from: 30, to: 60, signed: 41) { $0.revocationDate = day(40) }]),
            ],
            [(day(41), .subscribed(day(60) + leeway).incompletely), (day(60) + leeway, .revoked)]),
        RuleCase(
            "a client's renewal info does not put Apple's status aside",
            [
                bundle(.notification, [refunded], renewal(signed: 10), status(1, asOf: 10)),
                bundle(.client, [], renewal(signed: 12)),
            ],
            [(day(11), .subscribed(day(30) + leeway).incompletely), (day(30) + leeway, .revoked)]),
        RuleCase(
            "nor does a client's copy of a period that was over by then, signed anew",
            [
                bundle(.notification, [month]),
                bundle(
                    .notification, [transaction(90, from: -30, to: 0, signed: 35)],
                    renewal(signed: 35) { $0.renewalDate = day(60) }, status(1, asOf: 35)),
                bundle(.client, [transaction(100, from: 0, to: 30, signed: 36)]),
            ],
            [(day(37), .subscribed(day(60) + leeway).incompletely), (day(60) + leeway, .expired)]),
        RuleCase(
            "nor when Apple has sent no renewal info yet",
            [bundle(.notification, [refunded], nil, status(1, asOf: 10)), bundle(.client, [], renewal(signed: 12))],
            [(day(13), .subscribed(day(30) + leeway).incompletely)]),
        RuleCase(
            "of grace it leaves the days that are sure without a date",
            [
                bundle(.notification, [month], failing, status(4, asOf: 30)),
                bundle(.client, [], renewal(signed: 31, autoRenew: false)),
            ],
            [(day(32), .grace(day(33)).incompletely), (day(33), .expired)]),
        RuleCase(
            "a failed charge that a client tells of extends nothing",
            [
                bundle(.notification, [month], renewal(signed: 0), status(1, asOf: 0)),
                bundle(
                    .client, [],
                    renewal(signed: 31) { ($0.isInBillingRetryPeriod, $0.renewalDate) = (true, day(60)) }),
            ],
            [(day(30), .awaiting(day(30) + leeway).incompletely), (day(30) + leeway, .retry)]),
    ])
    func protects(_ row: RuleCase) throws { try row.check() }
}
