import AppStoreSimulator
import ArgumentParser

extension SimulateCommand {
    struct ScenarioCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "scenario",
            abstract: "Prints the default scenario, to begin one's own with.",
            discussion: """
                A scenario says what is sold, how the crowd behaves, and what single customers do and when. The text \
                explains itself.

                Example:
                  perennial simulate scenario > mine.yaml
                  perennial simulate life mine.yaml
                  perennial demo --scenario mine.yaml
                """)

        func run() async throws {
            for line in Scenario.defaultText.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                Console.print(String(line))
            }
        }
    }
}
