import ArgumentParser

struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "The nodes that share a store.",
        discussion: """
            Example:
              perennial cluster status
              perennial cluster finalize
            """,
        subcommands: [Status.self, Finalize.self])

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

    struct Finalize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends an upgrade: the nodes may use what only the newer version knows.",
            discussion: """
                Raises the store's feature level to the newest that a living node supports. Is refused, with their \
                names, while nodes live that do not support it; does nothing when the store is there already. Older \
                versions do not start on the store any more, so there is no way back: run the newer one for a while \
                first.

                Example:
                  perennial cluster finalize
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().post(["v1", "cluster", "finalize"])
            switch self.output.output {
            case .table:
                let level = answer["featureLevel"]?.plain ?? "-"
                let isRaised = answer["raised"]?.plain == "true"
                Console.print("The store is \(isRaised ? "now" : "already") at feature level \(level).")
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
