extension LifeStory {
    static let failures = [
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
}
