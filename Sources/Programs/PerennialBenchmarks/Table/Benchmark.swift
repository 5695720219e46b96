/// Something that can be measured by itself. It makes what it needs in `workspace`, whose owner removes it.
protocol Benchmark: Sendable {
    /// What `--only` takes.
    static var name: String { get }
    /// A sentence for `--help`.
    static var abstract: String { get }
    /// It takes many minutes, and runs when it is asked for by its name.
    static var isLong: Bool { get }

    init()

    func run(in workspace: Workspace) async throws -> [Figure]
}

extension Benchmark {
    static var isLong: Bool { false }
}
