import ArgumentParser
import Foundation
import HTTPAPI
import Shards
import StrictJSON

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "The configuration of a node.",
        discussion: """
            Example:
              perennial config check --config /etc/perennial/perennial.yaml
            """,
        subcommands: [Check.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a configuration and prints what is in effect, secrets masked.",
            discussion: """
                Each value comes with the place where it was set: a line of the file, a variable, or nothing for a \
                default.

                Example:
                  perennial config check --config /etc/perennial/perennial.yaml
                """)

        @Option(help: "The YAML file.")
        var config: String
        @OptionGroup var output: OutputOptions

        func run() throws {
            let loaded = try ServerConfiguration.load(
                file: self.config, environment: ProcessInfo.processInfo.environment)
            let configuration = try loaded.check(for: .serve)
            do {
                try configuration.http.checkTLSFiles()
            } catch {
                throw CommandFailure(error.description)
            }
            for root in configuration.invalidRoots(at: SystemClock().now) {
                Console.complain("warning: apps: \(root.sentence)")
            }
            let settings = loaded.effectiveSettings
            switch self.output.output {
            case .table:
                var table = TextTable(["KEY", "VALUE", "SET BY"])
                for setting in settings { table.add([setting.key, setting.value, setting.place ?? ""]) }
                table.lines.forEach(Console.print)
            case .json:
                Console.print(
                    JSONWriter.text { json in
                        for setting in settings {
                            json.member(setting.key) { json in
                                json.object { json in
                                    json.member("value", setting.value)
                                    json.member("setBy", setting.place)
                                }
                            }
                        }
                    })
            }
        }
    }
}
