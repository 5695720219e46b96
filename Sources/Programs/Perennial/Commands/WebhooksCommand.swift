import ArgumentParser

struct WebhooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Services that are told of changes by HTTP.",
        discussion: """
            Deliveries follow the Standard Webhooks specification: signed, repeated for three days when they are not taken, \
            in order for each subscription.

            Example:
              perennial webhooks create https://example.com/hooks --type 'subscription.*'
              perennial webhooks list
            """,
        subcommands: [
            Create.self, List.self, Show.self, Update.self, Delete.self, Rotate.self, Test.self, Replay.self,
            DeadLetters.self,
        ])

    /// What an endpoint wants.
    struct Wish: ParsableArguments {
        @Argument(help: "Where to post; https, or a network that webhooks.allow names.")
        var url: String
        @Option(help: "For people.")
        var description = ""
        @Option(help: "What is posted: change, or original for the notification as Apple posts it.")
        var format = "change"
        @Option(
            name: [.customLong("type")],
            help: """
                An event type such as subscription.renewed, or subscription.*; all unless given. An event is posted when any \
                of its changes is one. Repeat for several.
                """
        )
        var types: [String] = []
        @Option(
            name: [.customLong("environment")],
            help: "An App Store environment; all unless given. Repeat for several.")
        var environments: [String] = []
        @Option(name: [.customLong("bundle-id")], help: "An app; all unless given. Repeat for several.")
        var bundleIDs: [String] = []
    }

    /// Which one a command is about.
    struct Target: ParsableArguments {
        @Argument(help: "The endpoint's id, as `perennial webhooks list` prints it.")
        var id: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func path(_ more: String...) -> [String] { ["v1", "webhooks", self.id] + more }

        func print(_ answer: JSONFragment) {
            switch self.output.output {
            case .table: answer.fieldTable.lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
