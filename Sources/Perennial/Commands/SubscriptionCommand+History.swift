import ArgumentParser

extension SubscriptionCommand {
    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints its events, oldest first.",
            discussion: """
                Example:
                  perennial subscription history 2000000000000001
                """)

        @OptionGroup var subject: SubjectOptions
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
                printer.print(page["events"]?.items ?? [])
                cursor = page["next"]?.plain
            } while cursor != nil
        }
    }
}
