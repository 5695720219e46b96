extension LifeStory {
    /// Together they make the store say everything that it can say of customers.
    static let all = beginnings + failures + endings + changes + prices + refunds + families + extensions + others

    private static let beginnings = [
        LifeStory(
            "A trial becomes a subscription", days: 30,
            """
            - buy: pro.monthly
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1"]),
        LifeStory(
            "Leaves and comes back to another product", days: 60,
            """
            - buy: basic.monthly
            - after: 5d
            - cancel
            - after: 40d
            - buy: pro.monthly
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
                "SUBSCRIBED/RESUBSCRIBE 1",
            ]),
        LifeStory(
            "Is won back for two cheaper months", days: 110,
            """
            - buy: basic.monthly
            - after: 5d
            - cancel
            - after: 40d
            - buy: { product: basic.monthly, offer: winback.half }
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
                "SUBSCRIBED/RESUBSCRIBE 1", "DID_RENEW 1", "DID_RENEW 1",
            ]),
        LifeStory(
            "Buys things that do not renew", days: 20,
            """
            - buy: coins.100
            - after: 1d
            - buy: themes.forever
            - after: 1d
            - buy: season.pass
            """,
            ["ONE_TIME_CHARGE"], ["ONE_TIME_CHARGE"], ["ONE_TIME_CHARGE"]),
    ]

    private static let failures = [
        LifeStory(
            "Pays within grace", days: 70,
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            - after: 36d
            - pay
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "DID_RENEW/BILLING_RECOVERY 1",
                "DID_RENEW 1",
            ]),
        LifeStory(
            "Pays after grace", days: 70,
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            - after: 50d
            - pay
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "GRACE_PERIOD_EXPIRED 3",
                "DID_RENEW/BILLING_RECOVERY 1",
            ]),
        LifeStory(
            "Never pays", days: 110,
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "GRACE_PERIOD_EXPIRED 3",
                "EXPIRED/BILLING_RETRY 2",
            ]),
        LifeStory(
            "Pays late where there is no grace", days: 50, grace: "none",
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            - after: 36d
            - pay
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3", "DID_RENEW/BILLING_RECOVERY 1"]),
        LifeStory(
            "Never pays where there is no grace", days: 110, grace: "none",
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3", "EXPIRED/BILLING_RETRY 2"]),
        LifeStory(
            "A trial that cannot be charged has no grace", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - fail
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3"]),
        LifeStory(
            "Gives up in grace", days: 60,
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            - after: 36d
            - cancel
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 4", "EXPIRED/VOLUNTARY 2",
            ]),
        LifeStory(
            "Gives up in billing retry", days: 60, grace: "none",
            """
            - buy: basic.monthly
            - after: 5d
            - fail
            - after: 36d
            - cancel
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 3",
                "EXPIRED/VOLUNTARY 2",
            ]),
    ]

    private static let endings = [
        LifeStory(
            "Cancels, stays after all, and cancels again", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - cancel
            - after: 1d
            - resume
            - after: 1d
            - cancel
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2",
            ]),
        LifeStory(
            "Does not keep the trial", days: 20,
            """
            - buy: pro.monthly
            - after: 1d
            - cancel
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
            ]),
        LifeStory(
            "The product is taken from sale", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - withdraw
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "EXPIRED/PRODUCT_NOT_FOR_SALE 2"]),
        LifeStory(
            "Ends for no reason that has a name", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - lapse
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "EXPIRED 2"]),
        LifeStory(
            "Cancels a commitment, which is charged to its end", days: 380,
            """
            - buy: pro.committed
            - after: 5d
            - cancel
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1"]
                + Array(repeating: "DID_RENEW 1", count: 11) + ["EXPIRED/VOLUNTARY 2"]),
    ]

    private static let changes = [
        LifeStory(
            "Moves up at once", days: 20,
            """
            - buy: basic.monthly
            - after: 5d
            - change: pro.monthly
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1"]),
        LifeStory(
            "Moves across at once, as the period is the same", days: 20,
            """
            - buy: pro.monthly
            - after: 2d
            - change: pro.committed
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1"]),
        LifeStory(
            "Moves across to a longer period when the present one is over", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - change: pro.yearly
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1"]),
        LifeStory(
            "Moves down when the period is over", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - change: basic.monthly
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1"]),
        LifeStory(
            "Means to move down, and stays", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - change: basic.monthly
            - after: 1d
            - keep
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_CHANGE_RENEWAL_PREF 1",
                "DID_RENEW 1",
            ]),
        LifeStory(
            "Is given a month", days: 70,
            """
            - buy: basic.monthly
            - after: 5d
            - redeem: stay.month
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "OFFER_REDEEMED 1", "DID_RENEW 1", "DID_RENEW 1"]),
        LifeStory(
            "Moves up with a code", days: 60,
            """
            - buy: basic.monthly
            - after: 5d
            - redeem: { offer: code.quarter, product: pro.monthly }
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "OFFER_REDEEMED/UPGRADE 1"]),
        LifeStory(
            "Moves down with an offer", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - redeem: { offer: stay.month, product: basic.monthly }
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "OFFER_REDEEMED/DOWNGRADE 1", "DID_RENEW 1"]),
    ]

    private static let prices = [
        LifeStory(
            "Agrees to a price that rises", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - raisePrice: { to: 5.99, consent: true }
            - after: 2d
            - consent
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/PENDING 1", "PRICE_INCREASE/ACCEPTED 1", "DID_RENEW 1"]),
        LifeStory(
            "Moves down instead of agreeing to a price that rises", days: 50,
            """
            - buy: pro.monthly
            - after: 1 renewal
            - after: 5d
            - raisePrice: { to: 11.99, consent: true }
            - after: 2d
            - change: basic.monthly
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "PRICE_INCREASE/PENDING 1",
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1",
            ]),
        LifeStory(
            "Is told of a price that rises", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - raisePrice: { to: 5.49, consent: false }
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/ACCEPTED 1", "DID_RENEW 1"]),
        LifeStory(
            "Says nothing to a price that rises", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - raisePrice: { to: 5.99, consent: true }
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/PENDING 1", "EXPIRED/PRICE_INCREASE 2"]),
        LifeStory(
            "Refuses a price that rises", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - raisePrice: { to: 5.99, consent: true }
            - after: 2d
            - cancel
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/PENDING 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
            ]),
    ]

    private static let refunds = [
        LifeStory(
            "Gets the running month's money back", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - refund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5",
            ]),
        LifeStory(
            "Gets a part of the money back", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - refund: { percentage: 50 }
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5",
            ]),
        LifeStory(
            "Gets last month's money back, and stays", days: 70,
            """
            - buy: basic.monthly
            - after: 1 renewal
            - after: 3d
            - refund: previous
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "CONSUMPTION_REQUEST 1", "REFUND 1", "DID_RENEW 1"]),
        LifeStory(
            "Gets the money for the next month back before it begins", days: 70,
            """
            - buy: basic.monthly
            - after: 5d
            - refund: coming
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 1",
            ]),
        LifeStory(
            "Gets no money back", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - refund: { granted: false }
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND_DECLINED 1", "EXPIRED/VOLUNTARY 2",
            ]),
        LifeStory(
            "The refund is undone while the month runs", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - refund
            - after: 3d
            - reverseRefund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5", "REFUND_REVERSED 1",
                "EXPIRED/VOLUNTARY 2",
            ]),
        LifeStory(
            "The refund is undone when the month is over", days: 60,
            """
            - buy: basic.monthly
            - after: 5d
            - refund
            - after: 40d
            - reverseRefund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5", "REFUND_REVERSED 2",
            ]),
        LifeStory(
            "The refund of last month is undone", days: 70,
            """
            - buy: basic.monthly
            - after: 1 renewal
            - after: 3d
            - refund: previous
            - after: 3d
            - reverseRefund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "CONSUMPTION_REQUEST 1", "REFUND 1", "REFUND_REVERSED 1",
                "DID_RENEW 1",
            ]),
        LifeStory(
            "Gets the money for coins back, and has to return it", days: 20,
            """
            - buy: coins.100
            - after: 2d
            - refund
            - after: 3d
            - reverseRefund
            """,
            ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED"]),
        LifeStory(
            "Gets no money back for a season", days: 20,
            """
            - buy: season.pass
            - after: 2d
            - refund: { granted: false }
            """,
            ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND_DECLINED"]),
    ]

    private static let families = [
        LifeStory(
            "Shares with two, stops, and shares again", days: 28,
            """
            - buy: basic.monthly
            - after: 5d
            - share: 2
            - after: 5d
            - unshare
            - after: 5d
            - share: 2
            """,
            ["SUBSCRIBED/INITIAL_BUY 1"],
            ["SUBSCRIBED/INITIAL_BUY 1", "REVOKE 5", "SUBSCRIBED/RESUBSCRIBE 1"],
            ["SUBSCRIBED/INITIAL_BUY 1", "REVOKE 5", "SUBSCRIBED/RESUBSCRIBE 1"]),
        LifeStory(
            "A family fares as the purchaser does", days: 80,
            """
            - buy: basic.monthly
            - after: 5d
            - share: 1
            - after: 1 renewal
            - after: 5d
            - cancel
            - after: 30d
            - buy: basic.monthly
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2", "SUBSCRIBED/RESUBSCRIBE 1",
            ],
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2", "SUBSCRIBED/RESUBSCRIBE 1",
            ]),
        LifeStory(
            "A family loses access with the purchaser's refund", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - share: 1
            - after: 5d
            - refund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5",
            ],
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REVOKE 5"]),
        LifeStory(
            "A family has grace too", days: 50,
            """
            - buy: basic.monthly
            - after: 5d
            - share: 1
            - fail
            - after: 36d
            - pay
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "DID_RENEW/BILLING_RECOVERY 1"],
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "DID_RENEW/BILLING_RECOVERY 1"]),
        LifeStory(
            "A family moves up and is extended with the purchaser", days: 25,
            """
            - buy: basic.monthly
            - after: 5d
            - share: 1
            - after: 2d
            - change: pro.monthly
            - after: 2d
            - extend: 7d
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1", "RENEWAL_EXTENDED 1"],
            ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1", "RENEWAL_EXTENDED 1"]),
    ]

    private static let extensions = [
        LifeStory(
            "Is given a week, and renews a week later", days: 45,
            """
            - buy: basic.monthly
            - after: 5d
            - extend: 7d
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "RENEWAL_EXTENDED 1", "DID_RENEW 1"]),
        LifeStory(
            "Everybody is given a week", days: 20,
            """
            - buy: basic.monthly
            - after: 5d
            - extendEverybody: 7d
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "RENEWAL_EXTENDED 1"],
            others: ["RENEWAL_EXTENSION/SUMMARY"]),
        LifeStory(
            "Everybody is given a week but this customer", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - extendEverybody: { by: 7d, fails: true }
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "RENEWAL_EXTENSION/FAILURE 1", "DID_RENEW 1"],
            others: ["RENEWAL_EXTENSION/SUMMARY"]),
    ]

    private static let others = [
        LifeStory(
            "Moves to Advanced Commerce, where words and prices change", days: 40,
            """
            - buy: basic.monthly
            - after: 5d
            - migrate
            - after: 2d
            - changeMetadata
            - after: 2d
            - changePrice: 8.99
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "MIGRATION 1", "METADATA_UPDATE 1", "PRICE_CHANGE 1", "DID_RENEW 1"]),
        LifeStory(
            "Moves to Advanced Commerce in the trial", days: 30,
            """
            - buy: pro.monthly
            - after: 2d
            - migrate
            """,
            ["SUBSCRIBED/INITIAL_BUY 1", "MIGRATION 1", "DID_RENEW 1"]),
        LifeStory(
            "Comes by an external purchase that is reported", days: 130,
            """
            - externalToken
            """,
            others: [
                "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
                "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
            ]),
        LifeStory(
            "Comes by an external purchase that nobody reports", days: 130,
            """
            - externalToken: { reported: false }
            """,
            others: [
                "EXTERNAL_PURCHASE_TOKEN/CREATED", "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER",
                "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", "EXTERNAL_PURCHASE_TOKEN/UNREPORTED",
            ]),
        LifeStory(
            "A parent takes consent back", days: 20,
            """
            - buy: basic.monthly
            - after: 5d
            - rescindConsent
            """,
            ["SUBSCRIBED/INITIAL_BUY 1"],
            others: ["RESCIND_CONSENT"]),
    ]
}
