import ArgumentParser
import Subscriptions

extension SubscriptionCommand {
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says why the state is what it is, fact by fact.",
            discussion: """
                The numbered rules are Perennial's own: those of the page StateMachine in its documentation, \
                under "How an answer is found". The first that applies decides.

                Example:
                  perennial subscription explain 2000000000000001
                """)

        @Argument(help: "The originalTransactionId.")
        var id: String
        @Option(help: "The moment asked about, such as 2026-11-04T20:00:00Z.")
        var at: Moment?
        @OptionGroup var stream: StreamOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(
                ["v1", "subscriptions", self.id, "explain"], query: self.stream.query + [("at", self.at?.rfc3339)])
            switch self.output.output {
            case .table:
                Console.print("By the rules of Perennial, as the page StateMachine numbers them:")
                for step in answer["steps"]?.items ?? [] {
                    Console.print(Self.line(of: step).escapingControls)
                    for fact in step["facts"]?.items ?? [] {
                        let parts = fact.members.compactMap(\.value.plain)
                        Console.print("     " + parts.joined(separator: " ").escapingControls)
                    }
                }
            case .json:
                Console.print(answer.serialized)
            }
        }

        /// What stands before the numbered rules has the number 0.
        private static func line(of step: JSONFragment) -> String {
            let rule = step["rule"]?.plain ?? "0"
            return (rule == "0" ? "–" : "\(rule).") + " " + (step["sentence"]?.plain ?? "")
        }
    }
}
