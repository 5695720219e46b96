import ArgumentParser

/// For the instruction counter, which runs it under valgrind.
struct WalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk", abstract: "Walks one hot path over a fixed corpus, for a profiler.", shouldDisplay: false)

    @Argument(help: "One of \(HotPath.allCases.map(\.rawValue).joined(separator: ", ")); all when left out.")
    var path: HotPath?
    @Option(help: "The corpus file.")
    var corpus = "Sources/Programs/PerennialBenchmarks/Instructions/corpus.txt"
    @Option(help: "How many times.")
    var walks = 1
    @Flag(help: "Only print the names of the paths.")
    var list = false

    func run() async throws {
        let paths = self.path.map { [$0] } ?? HotPath.allCases
        guard !self.list else { return print(paths.map(\.rawValue).joined(separator: "\n")) }
        let corpus = try FixedCorpus(path: self.corpus)
        for path in paths { try await path.walk(self.walks, corpus) }
    }
}

struct CorpusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus", abstract: "Writes a new fixed corpus.", shouldDisplay: false)

    @Argument(help: "The file.")
    var file: String
    @Option(help: "How many notifications.")
    var count = 16

    func run() throws { try FixedCorpus.write(to: self.file, count: self.count) }
}

extension HotPath: ExpressibleByArgument {}
