import ArgumentParser
import ServiceContract
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

                With --customers it asks what each of the publisher's customers may use now. There a difference is also \
                explained by a request of the publisher's backend that has not been made: see `simulate --backend`. What \
                is true rests on the policy `keep` of customers.transfer.

                Example:
                  perennial simulate compare --node http://127.0.0.1:8080 --keys keys
                  perennial simulate compare --node http://127.0.0.1:8080 --keys keys --customers
                  perennial simulate compare --node http://127.0.0.1:8080 --keys keys --customers --consistency local
                """)

        @OptionGroup var store: SimulatedStoreOptions
        @Flag(help: "Asks by customer instead, about now.")
        var customers = false
        @Option(help: "With --customers, how current the answers have to be: local, owner or durable (default: owner).")
        var consistency: Consistency?
        @Option(help: "How many random moments are asked about, for each subscription and purchase (default: 20).")
        var moments: Int?
        @Option(parsing: .singleValue, help: "A further moment, such as 2026-11-04T20:00:00Z; may be repeated.")
        var at: [Moment] = []
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        private static let mostMoments = 10_000

        private static let usualMoments = 20

        func validate() throws {
            guard (0...Self.mostMoments).contains(self.moments ?? 0) else {
                throw ValidationError("--moments must be 0…\(Self.mostMoments).")
            }
            guard !self.customers || self.moments == nil && self.at.isEmpty else {
                throw ValidationError("--customers asks about now: leave out --moments and --at.")
            }
            guard self.customers || self.consistency == nil else {
                throw ValidationError("--consistency is for --customers.")
            }
        }

        func run() async throws {
            guard let keys = self.store.keys else { throw ValidationError("Missing expected argument '--keys <keys>'") }
            let (node, store) = (try self.node.client(), try SimulatedStore(keys: keys))
            let (printer, tally) =
                try await self.customers
                ? self.compareCustomers(node, store) : self.compareWhatWasSold(node, store)
            guard tally.answers > 0 else { throw CommandFailure("the simulation has sold nothing so far") }
            printer.print(tally)
            if tally.unexplained > 0 { throw ExitCode(1) }
        }

        private func compareCustomers(
            _ node: NodeClient, _ store: SimulatedStore
        ) async throws -> (ComparisonPrinter, ComparisonTally) {
            var printer = ComparisonPrinter(self.output.output, isByCustomer: true)
            var tally = ComparisonTally()
            tally.customers = 0
            let comparison = CustomerComparison(node: node, store: store, consistency: self.consistency ?? .owner)
            try await comparison.run { finding in
                tally.customers = (tally.customers ?? 0) + 1
                for answer in finding {
                    tally.add(answer: answer)
                    answer.forEach { printer.print($0) }
                }
                printer.progress(tally.sentence)
            }
            return (printer, tally)
        }

        private func compareWhatWasSold(
            _ node: NodeClient, _ store: SimulatedStore
        ) async throws -> (ComparisonPrinter, ComparisonTally) {
            let comparison = NodeComparison(
                node: node, store: store, randomMoments: self.moments ?? Self.usualMoments, seed: self.store.seed,
                furtherMoments: self.at)
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
            return (printer, tally)
        }
    }
}
