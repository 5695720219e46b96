import ArgumentParser

extension CustomerCommand {
    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Closes a conflict: the purchase stays with whom it is.",
            discussion: """
                A link that customers.transfer refused waits until somebody decides. `customer link` decides for the customer where the
                policy lets it; this decides against.

                Example:
                  perennial customer dismiss u-1001 2000000000000001
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @Argument(help: "The originalTransactionId.")
        var id: String
        @OptionGroup var stream: StreamOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            self.output.show(
                try await self.node.client().delete(
                    ["v1", "customers", self.customer, "conflicts", self.id], query: self.stream.query))
        }
    }
}
