import ArgumentParser
import StrictJSON

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Prints the version and how it was built.",
        discussion: """
            Example:
              perennial version --output json
            """)

    @OptionGroup var output: OutputOptions

    func run() {
        switch self.output.output {
        case .table:
            Console.print(BuildInformation.line)
        case .json:
            Console.print(
                JSONWriter.text { json in
                    json.member("version", BuildInformation.version)
                    json.member("mode", BuildInformation.mode)
                    json.member("platform", BuildInformation.platform)
                    json.member("compiler", BuildInformation.compiler)
                })
        }
    }
}
