extension LifeStory {
    static let extensions = [
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
}
