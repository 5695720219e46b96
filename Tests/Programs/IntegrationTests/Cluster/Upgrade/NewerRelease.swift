import Foundation
import PostgresHarness

/// Nodes of a release that is to come: today's program, which pretends to support one feature level more. Such a
/// program is built with the benchmarks, beside `perennial`.
final class NewerRelease: Sendable {
    private let directory: TemporaryDirectory
    private let database: PostgresDatabase
    private let input: FileHandle
    /// Held open: they end when their input does.
    private let lifeline: FileHandle

    init(database: PostgresDatabase, root: [UInt8]) throws {
        self.directory = try TemporaryDirectory()
        self.database = database
        let pipe = Pipe()
        self.input = pipe.fileHandleForReading
        self.lifeline = pipe.fileHandleForWriting
        try self.directory.write(root, to: "root.cer")
    }

    /// Starts a node, and does not wait for it.
    func launch(_ name: String) throws -> ChildProcess {
        guard let path = TestBinary.benchmarks else { throw ProcessFailure("no benchmarks beside the binary") }
        return try ChildProcess(
            path,
            [
                "node", "--store", self.database.url("sslmode=disable&connect_timeout=60"), "--root",
                self.directory.file("root.cer"), "--leased", name, "--lease", "15", "--feature-level",
                "\(UpgradeTests.next)",
            ],
            input: self.input.fileDescriptor, output: self.directory.file(UUID().uuidString))
    }
}
