import ArgumentParser

struct JobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Long work on the whole store.",
        discussion: """
            The store has a row for each with how far it is: the node that owns the row goes on with it, and another one \
            where that stops.

            Example:
              perennial job list
              perennial job show 9f2c61d04b7a3e58
              perennial job cancel 9f2c61d04b7a3e58
            """,
        subcommands: [List.self, Show.self, Cancel.self])

    static let path = ["v1", "jobs"]

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what is under way, and what has ended lately; the newest first.",
            discussion: """
                Example:
                  perennial job list --output json
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(JobCommand.path)
            switch self.output.output {
            case .json: Console.print(answer.serialized)
            case .table:
                var table = TextTable(["ID", "KIND", "STATE", "STARTED", "EXAMINED", "CHANGED", "SKIPPED", "MESSAGE"])
                for job in answer["jobs"]?.items ?? [] {
                    let members = ["id", "kind", "state", "started", "examined", "changed", "skipped", "message"]
                    table.add(members.map { job[$0]?.plain ?? "-" })
                }
                table.lines.forEach(Console.print)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints how far one is.",
            discussion: """
                Example:
                  perennial job show 9f2c61d04b7a3e58
                """)

        @Argument(help: "Its id, as the command that began it shows it.")
        var id: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let job = try await self.node.client().get(JobCommand.path + [self.id])
            JobCommand.show(job, as: self.output.output)
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends one before it is done; what it has done stays. A deletion is not cancelled.",
            discussion: """
                Example:
                  perennial job cancel 9f2c61d04b7a3e58
                """)

        @Argument(help: "Its id, as the command that began it shows it.")
        var id: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let job = try await self.node.client().delete(JobCommand.path + [self.id])
            JobCommand.show(job, as: self.output.output)
        }
    }

    private static func show(_ job: JSONFragment, as format: OutputFormat) {
        switch format {
        case .table: job.fieldTable.lines.forEach(Console.print)
        case .json: Console.print(job.serialized)
        }
    }
}
