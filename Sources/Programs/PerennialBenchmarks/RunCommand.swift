import ArgumentParser
import Foundation
import UnixSignals

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs all benchmarks but the long ones, or those that --only names, and prints one table as it goes.",
        discussion: """
            \(allBenchmarks.map { "  \($0.name): \($0.abstract)" }.joined(separator: "\n"))

            Keys, signed notifications and stores are made anew and removed at the end, and by Ctrl-C. A goal that was missed makes the
            exit code 1.

            Example:
              PerennialBenchmarks --only verification --json
            """)

    @Option(help: "Run only this benchmark; may be given several times.")
    var only: [String] = []
    @Flag(help: "Print the figures as JSON.")
    var json = false

    func validate() throws {
        for name in self.only where !allBenchmarks.contains(where: { $0.name == name }) {
            let known = allBenchmarks.map { $0.name }.joined(separator: ", ")
            throw ValidationError("There is no benchmark called \(name); there are \(known).")
        }
    }

    func run() async throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let interruption = Task {
            for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                // The node that is measured ends with this process.
                workspace.remove()
                Foundation.exit(130)
            }
        }
        defer { interruption.cancel() }
        var figures: [Figure] = []
        if !self.json { Self.write(FigureTable.head) }
        for benchmark in allBenchmarks where self.isWanted(benchmark) {
            workspace.say("\(benchmark.name) …")
            let measured = try await benchmark.init().run(in: workspace)
            if !self.json { measured.map(FigureTable.line).forEach(Self.write) }
            figures += measured
        }
        if self.json { Self.write(try Self.json(figures)) }
        if figures.contains(where: { $0.isReached == false }) { throw ExitCode(1) }
    }

    private func isWanted(_ benchmark: any Benchmark.Type) -> Bool {
        self.only.isEmpty ? !benchmark.isLong : self.only.contains(benchmark.name)
    }

    /// At once, also into a file: whoever ends this early has what was measured by then.
    private static func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func json(_ figures: [Figure]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(figures), as: UTF8.self)
    }
}
