import ArgumentParser

extension SubscriptionCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the state, now or at a moment.",
            discussion: """
                Example:
                  perennial subscription show 2000000000000001
                  perennial subscription show 2000000000000001 --at 2026-11-04T20:00:00Z --output json
                """)

        @OptionGroup var subject: SubjectOptions
        @OptionGroup var past: PastOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(
                self.subject.path, query: self.subject.query + self.past.query)
            switch self.output.output {
            case .table: answer.subscriptionTable.lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
