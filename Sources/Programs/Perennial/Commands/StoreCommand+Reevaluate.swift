import ArgumentParser

extension StoreCommand {
    struct Reevaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells of each subscription whose answer changed settings have changed.",
            discussion: """
                After a change of entitlements.catalog, entitlements.renewalLeeway or entitlements.nonRenewing, or of the \
                version: checks answer by the new settings at once, but no event says so. This looks at every subscription \
                and purchase, and records a `reevaluated` event, with the answer before and after, where the two differ; \
                webhooks and streams tell it. Give all nodes the new settings first. Ctrl-C ends the command and not the \
                work: the nodes go on, whichever of them stops.

                Example:
                  perennial store reevaluate
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            let job = try await client.post(["v1", "jobs"], body: #"{"kind":"reevaluate"}"#)
            try await JobWatch(
                client: client, format: self.output.output, path: JobCommand.path, command: "job show"
            ).follow(job)
        }
    }
}
