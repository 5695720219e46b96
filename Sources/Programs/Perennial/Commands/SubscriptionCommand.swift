import ArgumentParser

struct SubscriptionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription", abstract: "One subscription: its state, its events, and why it is as it is.",
        discussion: """
            Example:
              perennial subscription show 2000000000000001
              perennial subscription history 2000000000000001
              perennial subscription explain 2000000000000001 --at 2026-11-04T20:00:00Z
              perennial subscription refresh 2000000000000001
            """,
        subcommands: [Show.self, History.self, Explain.self, Refresh.self, Extend.self])

    /// Where a subscription or a purchase is found.
    struct SubjectOptions: ParsableArguments {
        @Argument(help: "The originalTransactionId.")
        var id: String
        @Flag(help: "It names a one-time purchase.")
        var purchase = false
        @OptionGroup var stream: StreamOptions

        var query: [(String, String?)] { self.stream.query }
        var path: [String] { ["v1", self.purchase ? "purchases" : "subscriptions", self.id] }
    }
}
