import ArgumentParser

struct PerennialBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PerennialBenchmarks",
        abstract: "Measures a node of Perennial against the bare work that it cannot avoid.",
        subcommands: [RunCommand.self, WalkCommand.self, CorpusCommand.self, NodeCommand.self],
        defaultSubcommand: RunCommand.self)
}
