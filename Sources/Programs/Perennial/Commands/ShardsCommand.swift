import ArgumentParser
import StrictJSON
import Subscriptions

struct ShardsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shards", abstract: "The parts that the log is divided into, and their owners.",
        discussion: """
            Example:
              perennial shards list
              perennial shards move 17 --to node-2
            """,
        subcommands: [List.self, Move.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints every shard: its owner and whether he lives, its epoch, and how long its log is.",
            discussion: """
                Example:
                  perennial shards list
                  perennial shards list --owner node-2 --output json
                """)

        @Option(help: "Only the shards of this node.")
        var owner: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(["v1", "shards"])
            let rows = (answer["shards"]?.items ?? []).filter { row in
                self.owner.map { row["owner"]?.plain == $0 } ?? true
            }
            switch self.output.output {
            case .table: ShardTable(rows).lines.forEach(Console.print)
            case .json: rows.forEach { Console.print($0.serialized) }
            }
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has the owner of a shard give it to another node.",
            discussion: """
                Ends when the other node owns it. The nodes go on dividing the shards evenly: one that then holds a tenth \
                more or less than its share is relieved, or given others.

                Example:
                  perennial shards move 17 --to node-2
                """)

        @Argument(help: "The number of the shard.")
        var shard: UInt16
        @Option(help: "The id of the node that is to own it.")
        var to: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.to.isIdentifier else {
                throw ValidationError("--to is 1 to 128 visible ASCII characters without spaces.")
            }
        }

        func run() async throws {
            let row = try await self.node.client().post(
                ["v1", "shards", String(self.shard), "move"],
                body: JSONWriter.text { $0.member("to", self.to) })
            switch self.output.output {
            case .table: ShardTable([row]).lines.forEach(Console.print)
            case .json: Console.print(row.serialized)
            }
        }
    }
}
