extension LifeStory {
    static let beginnings = [
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
}
