import Foundation

/// A directory of its own for one run, and the line that says what is going on.
struct Workspace: Sendable {
    let directory: URL

    init() throws {
        self.directory = FileManager.default.temporaryDirectory.appending(
            path: "perennial-benchmarks-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { self.directory.appending(path: name).path }

    func remove() { try? FileManager.default.removeItem(at: self.directory) }

    /// Standard output is for the figures.
    func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
