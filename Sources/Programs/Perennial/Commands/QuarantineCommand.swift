import ArgumentParser

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "What was authentic but not for this configuration.",
        discussion: """
            Example:
              perennial quarantine list
              perennial quarantine replay
            """,
        subcommands: [List.self, Replay.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what is kept, and why.",
            discussion: """
                Example:
                  perennial quarantine list --output json
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            var rows: [JSONFragment] = []
            var cursor: String?
            repeat {
                let page = try await client.get(["v1", "quarantine"], query: [("after", cursor)])
                rows += page["quarantined"]?.items ?? []
                cursor = page["next"]?.plain
            } while cursor != nil
            switch self.output.output {
            case .json:
                rows.forEach { Console.print($0.serialized) }
            case .table:
                var table = TextTable(["ID", "RECEIVED", "REASON", "DETAIL"])
                for row in rows {
                    table.add(["id", "receivedAt", "reason", "detail"].map { row[$0]?.plain ?? "-" })
                }
                table.lines.forEach(Console.print)
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Judges everything kept once more, after a change of the configuration.",
            discussion: """
                Example:
                  perennial quarantine replay
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().post(["v1", "quarantine", "replay"])
            switch self.output.output {
            case .table: answer.fieldTable.lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
