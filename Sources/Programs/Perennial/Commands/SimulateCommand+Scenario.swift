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
                  perennial simulate scenario --customers > people.yaml
                """)

        @Flag(help: "The people of the demo, whom the publisher knows by an id; the rest is as in the default one.")
        var customers = false

        func run() async throws {
            let text = self.customers ? Scenario.customersText : Scenario.defaultText
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                Console.print(String(line))
            }
        }
    }
}
