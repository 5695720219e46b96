import ArgumentParser

struct ReconcileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile", abstract: "Holds what is recorded against what Apple says.",
        discussion: """
            A node does so by itself, all the time; this is for those who want it now, or want to know what it has found.

            Example:
              perennial reconcile report
              perennial reconcile run
            """,
        subcommands: [Run.self, Watch.self, Report.self])

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads what Apple could not deliver, then compares the subscriptions with Apple's answers.",
            discussion: """
                Of the whole cluster: each node asks about the shards that it owns, and the one that is told to begin sums \
                up. It takes as long as `share` of Apple's limits makes it: up to 25 subscriptions a second with half of \
                them. Ctrl-C ends the command and not the work: the node goes on.

                Example:
                  perennial reconcile run
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            let job = try await client.post(["v1", "reconcile", "run"])
            try await JobWatch(client: client, format: self.output.output).follow(job)
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Follows a backfill or a reconciliation that has begun.",
            discussion: """
                Ask the node that began it; it knows until it stops.

                Example:
                  perennial reconcile watch 1
                """)

        @Argument(help: "The id of the work, as the command that began it shows it.")
        var id: String
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            let job = try await client.get(["v1", "reconcile", "jobs", self.id])
            try await JobWatch(client: client, format: self.output.output).follow(job)
        }
    }

    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints in what subscriptions differed from Apple's answers, and whether notifications are missing.",
            discussion: """
                Of the node that is asked, since it started: what it compared itself, of the shards that it owned.

                Example:
                  perennial reconcile report
                  perennial reconcile report --output json
                """)

        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await self.node.client().get(["v1", "reconcile", "report"])
            switch self.output.output {
            case .table: ReconciliationSummary(answer).lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
