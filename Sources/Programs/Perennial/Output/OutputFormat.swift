import ArgumentParser

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json
}

struct OutputOptions: ParsableArguments {
    @Option(help: "How to print: table, for people, or json, for programs.")
    var output = OutputFormat.table
}
