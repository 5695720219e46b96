extension LifeStory {
    static let families = [
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
}
