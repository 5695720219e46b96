extension LifeStory {
    static let refunds = [
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
            "The refund of the coming month is undone while that month runs", days: 100,
            """
            - buy: basic.monthly
            - after: 5d
            - refund: coming
            - after: 35d
            - reverseRefund
            """,
            [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "CONSUMPTION_REQUEST 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 1", "REFUND_REVERSED 1",
                "EXPIRED/VOLUNTARY 2",
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
}
