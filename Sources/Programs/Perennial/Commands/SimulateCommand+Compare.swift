import ArgumentParser
import Subscriptions

extension SimulateCommand {
    struct CompareCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compare",
            abstract: "Holds a node against a running simulation, and prints where it is wrong.",
            discussion: """
                Asks both about everything sold, at the simulation's now and at random moments since its sale. A \
                difference is explained by notifications that have not arrived yet or were given up on, and grace by a \
                payment that came later and counts from before; any other is unexplained, and makes the command exit 1.

                Example:
                  perennial simulate compare --node http://127.0.0.1:8080 --keys keys
                """)

        @OptionGroup var store: SimulatedStoreOptions
        @Option(help: "How many random moments are asked about, for each subscription and purchase.")
        var moments = 20
        @Option(parsing: .singleValue, help: "A further moment, such as 2026-11-04T20:00:00Z; may be repeated.")
        var at: [Moment] = []
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        private static let mostMoments = 10_000

        func validate() throws {
            guard (0...Self.mostMoments).contains(self.moments) else {
                throw ValidationError("--moments must be 0…\(Self.mostMoments).")
            }
        }

        func run() async throws {
            guard let keys = self.store.keys else { throw ValidationError("Missing expected argument '--keys <keys>'") }
            let comparison = NodeComparison(
                node: try self.node.client(), store: try SimulatedStore(keys: keys), randomMoments: self.moments,
                seed: self.store.seed, furtherMoments: self.at)
            var printer = ComparisonPrinter(self.output.output)
            var tally = ComparisonTally()
            try await comparison.run { finding in
                tally.subscriptions += finding.isPurchase ? 0 : 1
                tally.purchases += finding.isPurchase ? 1 : 0
                for answer in finding.answers {
                    tally.add(answer: answer)
                    answer.forEach { printer.print($0) }
                }
                printer.progress(tally.sentence)
            }
            guard tally.answers > 0 else { throw CommandFailure("the simulation has sold nothing so far") }
            printer.print(tally)
            if tally.unexplained > 0 { throw ExitCode(1) }
        }
    }
}
