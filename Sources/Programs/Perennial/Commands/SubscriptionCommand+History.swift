import ArgumentParser
import Subscriptions

extension SubscriptionCommand {
    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints its events, oldest first.",
            discussion: """
                Example:
                  perennial subscription history 2000000000000001
                  perennial subscription history 2000000000000001 --at 2026-11-04T20:00:00Z
                """)

        @OptionGroup var subject: SubjectOptions
        @Option(help: "Only what was recorded up to then, such as 2026-11-04T20:00:00Z.")
        var at: Moment?
        @Flag(help: "With the signed originals (needs the scope admin; json only).")
        var evidence = false
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard !self.evidence || self.output.output == .json else {
                throw ValidationError("--evidence goes with --output json.")
            }
        }

        func run() async throws {
            let client = try self.node.client()
            let evidence = self.evidence ? "true" : nil
            var printer = EventPrinter(self.output.output)
            var cursor: String?
            repeat {
                let page = try await client.get(
                    self.subject.path + ["events"],
                    query: self.subject.query + [("after", cursor), ("evidence", evidence)])
                printer.print((page["events"]?.items ?? []).filter(self.isWanted))
                cursor = page["next"]?.plain
            } while cursor != nil
        }

        /// By the time of recording, which is the order of the log.
        private func isWanted(_ event: JSONFragment) -> Bool {
            guard let at else { return true }
            return event["at"]?.plain.flatMap { Moment(rfc3339: $0) }.map { $0 <= at } ?? false
        }
    }
}
