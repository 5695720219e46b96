extension LifeStory {
    static let others = [
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
