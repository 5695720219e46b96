extension LifeStory {
    static let prices = [
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
}
