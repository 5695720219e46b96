import Foundation

/// A directory of its own for one run, and the line that says what is going on.
struct Workspace: Sendable {
    let directory: URL
    let supplies: Supplies

    init() throws {
        self.directory = FileManager.default.temporaryDirectory.appending(
            path: "perennial-benchmarks-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        self.supplies = try Supplies(in: self.directory)
    }

    /// A store with so many subscriptions, the same one throughout the run.
    func store(seeded count: Int) async throws -> SeededStore {
        try await self.supplies.store(seeded: count) { self.say($0) }
    }

    func path(_ name: String) -> String { self.directory.appending(path: name).path }

    func remove() { try? FileManager.default.removeItem(at: self.directory) }

    /// Standard output is for the figures.
    func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
