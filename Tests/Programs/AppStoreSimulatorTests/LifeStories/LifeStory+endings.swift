extension LifeStory {
    static let endings = [
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
}
