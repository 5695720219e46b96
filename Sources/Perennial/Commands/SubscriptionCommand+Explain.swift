import ArgumentParser
import Subscriptions

extension SubscriptionCommand {
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says why the state is what it is, fact by fact.",
            discussion: """
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
                for step in answer["steps"]?.items ?? [] {
                    Console.print("\(step["rule"]?.plain ?? "-"). \(step["sentence"]?.plain ?? "")")
                    for fact in step["facts"]?.items ?? [] {
                        Console.print("     " + fact.members.compactMap(\.value.plain).joined(separator: " "))
                    }
                }
            case .json:
                Console.print(answer.serialized)
            }
        }
    }
}
