import ArgumentParser

extension CustomerCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a customer.",
            discussion: """
                Removes the customer's grants, links, attributes and identifiers, also from payloads that arrive later. Purchases stay \
                under their own ids and go to nobody else. It cannot be undone. The token needs the scope admin, and the store feature \
                level 8. The command waits some ten seconds for the job; Ctrl-C stops waiting, and the job goes on.

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
