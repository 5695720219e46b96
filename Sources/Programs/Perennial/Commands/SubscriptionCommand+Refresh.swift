import ArgumentParser

extension SubscriptionCommand {
    struct Refresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Asks Apple about it now, records what is new, and prints the state.",
            discussion: """
                One that was never heard of is recorded when Apple knows it. Without --environment Apple is asked about it \
                in Production, and in Sandbox only when Production does not know it.

                Example:
                  perennial subscription refresh 2000000000000001
                """)

        @Argument(help: "The originalTransactionId.")
        var id: String
        @OptionGroup var stream: StreamOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.clientThatWaitsForApple().post(
                ["v1", "subscriptions", self.id, "refresh"], query: self.stream.query)
            switch self.output.output {
            case .table: answer.subscriptionTable.lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
