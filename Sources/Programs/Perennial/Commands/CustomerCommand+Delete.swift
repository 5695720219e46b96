import ArgumentParser

extension CustomerCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets a customer.",
            discussion: """
                Grants, links, attributes and registered identifiers go, and what Apple's payloads carry of the customer, now and in \
                future. Purchases stay, and answer by their own ids; another customer gets none of them. It cannot be undone. Ctrl-C ends \
                the command and not the work.

                Example:
                  perennial customer delete u-1001
                """)

        @Argument(help: "The customer's id.")
        var customer: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            let job = try await client.delete(["v1", "customers", self.customer])
            try await JobWatch(
                client: client, format: self.output.output, path: JobCommand.path, command: "job show"
            ).follow(job)
        }
    }
}
