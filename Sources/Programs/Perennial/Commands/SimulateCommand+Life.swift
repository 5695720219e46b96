import AppStore
import AppStoreSimulator
import ArgumentParser
import Subscriptions

extension SimulateCommand {
    struct LifeCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "life",
            abstract: "Lets the people of a scenario live, and prints what Perennial says about it.",
            discussion: """
                Without a network, a database and waiting. A line for each notification, and for each moment at which \
                the answer changes by itself (in brackets): Apple's status, and what Perennial answers from then on. \
                Where that is not the truth, the line says so, and \
                the command fails.

                Example:
                  perennial simulate scenario > mine.yaml
                  perennial simulate life mine.yaml
                  perennial simulate life mine.yaml --months 6 --output json
                """)

        @Argument(help: "The scenario's file.")
        var file: String
        @Option(help: "How many months are lived through.")
        var months = 24
        @Option(help: "When they begin, such as 2026-01-01T00:00:00Z.")
        var from = Moment(milliseconds: 1_767_225_600_000)
        @Option(help: "The same seed gives the same customers.")
        var seed: UInt64 = 1
        @OptionGroup var output: OutputOptions

        private var end: Moment { self.from.after(.months(Int64(self.months))) }

        func validate() throws {
            guard (1...120).contains(self.months) else { throw ValidationError("--months has to be from 1 to 120.") }
            guard self.from >= LifecycleFactory.earliest, self.end <= LifecycleFactory.latest else {
                throw ValidationError(
                    "The simulated store signs from \(LifecycleFactory.earliest) to \(LifecycleFactory.latest).")
            }
        }

        func run() async throws {
            let scenario = try Scenario.read(self.file)
            guard !scenario.people.isEmpty else { throw CommandFailure("\(self.file): there are no people in it") }
            let factory = try LifecycleFactory(
                seed: self.seed, scenario: scenario, from: self.from,
                duration: Milliseconds(rawValue: self.end.milliseconds - self.from.milliseconds))
            let reader = try LifeReader(store: factory.store, rootCertificate: factory.rootCertificate)
            var agrees = true
            for (number, person) in scenario.people.enumerated() {
                let story = LifeStory(
                    person: person, chapters: try await self.chapters(of: person, number, factory, reader))
                agrees = agrees && story.agrees
                switch self.output.output {
                case .table: for line in (number == 0 ? [] : [""]) + story.table { Console.print(line) }
                case .json: for line in story.json { Console.print(line) }
                }
            }
            guard agrees else { throw CommandFailure("an answer is not the truth: please report it with the scenario") }
        }

        private func chapters(
            of person: ScriptedLife, _ number: Int, _ factory: LifecycleFactory, _ reader: LifeReader
        ) async throws -> [LifeStory.Chapter] {
            var chapters: [LifeStory.Chapter] = []
            for lifecycle in try factory.lifecycles(of: person, number: number) {
                chapters.append(
                    LifeStory.Chapter(
                        originalTransactionID: lifecycle.truth.originalTransactionID,
                        moments: try await reader.moments(of: lifecycle, until: self.end)))
            }
            let others = try factory.notifications(of: person, number: number)
                .filter { $0.originalTransactionID == nil }
            for notification in others {
                chapters.append(
                    LifeStory.Chapter(
                        originalTransactionID: nil,
                        moments: try await reader.moments(of: notification)))
            }
            return chapters
        }
    }
}
