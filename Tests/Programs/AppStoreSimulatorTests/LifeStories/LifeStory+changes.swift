extension LifeStory {
    static let changes = [
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
}
