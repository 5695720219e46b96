import AppStoreSimulator
import ArgumentParser
import Foundation

extension SimulateCommand {
    struct CorpusCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "corpus",
            abstract: "Writes signed notifications to a file, one JWS a line, for load tests.",
            discussion: """
                The root certificate to verify them with is root.cer in --keys, or the file's name with `.root.cer`.

                Example:
                  perennial simulate corpus --count 100000 --out corpus.jws
                  perennial simulate corpus --count 1000 --out mine.jws --scenario mine.yaml
                """)

        @Option(help: "How many notifications.")
        var count: Int
        @Option(help: "The file to write.")
        var out: String
        @OptionGroup var store: SimulatedStoreOptions

        func validate() throws {
            guard self.count > 0 else { throw ValidationError("--count has to be at least 1.") }
        }

        func run() async throws {
            do {
                let factory = try self.factory(try Scenario.read(self.store.scenario))
                let (progress, total) = (TenthsProgress(), self.count)
                try await Corpus(factory: factory).write(count: total, to: self.out) {
                    progress.report($0, of: total)
                }
                Console.print("\(self.count) notifications in \(self.out)")
            } catch let error as SimulatorError {
                throw CommandFailure(error.message)
            } catch let error where error is CocoaError || error is POSIXError {
                throw CommandFailure("\(self.out): \(FileProblem(error).sentence)")
            }
        }

        private func factory(_ scenario: Scenario) throws -> LifecycleFactory {
            if let keys = self.store.keys {
                return try LifecycleFactory(
                    seed: self.store.seed, scenario: scenario, store: self.store.identity,
                    keys: try KeysDirectory.open(keys).keys)
            }
            let factory = try LifecycleFactory(
                seed: self.store.seed, scenario: scenario, store: self.store.identity)
            try Data(factory.rootCertificate).write(to: URL(filePath: "\(self.out).root.cer"))
            return factory
        }
    }
}
