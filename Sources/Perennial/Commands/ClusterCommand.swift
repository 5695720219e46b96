import ArgumentParser

struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "The nodes that share a store.",
        discussion: """
            Example:
              perennial cluster status
            """,
        subcommands: [Status.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints who lives and how many shards each node owns, and what waits for an owner.",
            discussion: """
                Any node can tell: it reads the store that all of them share.

                Example:
                  perennial cluster status
                  perennial cluster status --node http://10.0.0.5:8080 --output json
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(["v1", "cluster"])
            switch self.output.output {
            case .table: ClusterSummary(answer).lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
