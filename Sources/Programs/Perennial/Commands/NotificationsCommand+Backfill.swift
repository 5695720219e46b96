import ArgumentParser
import StrictJSON
import Subscriptions

extension NotificationsCommand {
    struct Backfill: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads a stretch of Apple's notification history, and records what is missing.",
            discussion: """
                Apple keeps what it has sent for 180 days, of Sandbox for 30. What is known already stays as it is, so that \
                a stretch may be read again. Ctrl-C ends the command and not the work: the node goes on.

                Example:
                  perennial notifications backfill --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z
                """)

        @Option(help: "The begin of the stretch, such as 2026-11-01T00:00:00Z.")
        var from: Moment
        @Option(help: "Its end, such as 2026-11-08T00:00:00Z.")
        var to: Moment
        @Option(help: "One App Store environment; all unless --environment or --bundle-id is set, then Production.")
        var environment: AppStoreEnvironment?
        @Option(help: "One app; all unless --environment or --bundle-id is set.")
        var bundleId: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.from < self.to else { throw ValidationError("--from has to be before --to.") }
        }

        func run() async throws {
            let client = try self.node.client()
            let job = try await client.post(
                ["v1", "reconcile", "backfill"],
                body: JSONWriter.text { json in
                    json.member("from", self.from.rfc3339)
                    json.member("to", self.to.rfc3339)
                    json.member("environment", ifPresent: self.environment?.rawValue)
                    json.member("bundleId", ifPresent: self.bundleId)
                })
            try await JobWatch(client: client, format: self.output.output).follow(job)
        }
    }
}
