import Foundation
import PerennialTestSupport
import PostgresHarness

/// Nodes as the benchmarks run them, on a database of their own: composed as `perennial serve` composes its own, but
/// given shards when they have lived for a second or some, and without a guard when a test wants that.
final class BenchmarkNodes: Sendable {
    let database: PostgresDatabase
    private let directory: TemporaryDirectory
    private let removed: Guard?
    private let settling: Int
    /// Held open: a node ends when its standard input does.
    private let input: (reading: FileHandle, writing: FileHandle)

    /// - Parameters:
    ///   - root: what notifications lead to.
    ///   - removed: what the nodes go without.
    ///   - settling: for how many seconds they have to have lived before they are given what another serves.
    init(root: [UInt8], without removed: Guard? = nil, settling: Int = 1) async throws {
        self.database = try await onOwnThread { try PostgresServer.shared().makeDatabase() }
        self.directory = try TemporaryDirectory()
        self.removed = removed
        self.settling = settling
        let pipe = Pipe()
        self.input = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        try self.directory.write(root, to: "root.cer")
    }

    /// Starts a node, and does not wait for it.
    /// - Parameter port: of what stands in its way to the database, if so.
    func launch(_ name: String, port: Int? = nil) throws -> ChildProcess {
        guard let binary = TestBinary.benchmarks else { throw ProcessFailure("no benchmarks beside the binary") }
        // Nothing is learned from a server that a busy machine keeps waiting for five seconds.
        let store =
            port.map { self.database.url(port: UInt16($0)) }
            ?? self.database.url("sslmode=disable&connect_timeout=600")
        return try ChildProcess(
            binary,
            [
                "node", "--store", store, "--root", self.directory.file("root.cer"), "--leased", name,
                "--settling", "\(self.settling)",
            ] + (self.removed.map { ["--without", $0.rawValue] } ?? []),
            input: self.input.reading.fileDescriptor, output: self.directory.file(UUID().uuidString))
    }

    /// Returns when the node listens.
    /// - Parameter port: of what stands in its way to the database, if so.
    func start(_ name: String, port: Int? = nil) async throws -> NodeProcess {
        let process = try self.launch(name, port: port)
        while process.isRunning {
            if let line = process.output.firstMatch(of: /(?m)^api ([0-9]+)$/) {
                return NodeProcess(process: process, url: "http://127.0.0.1:\(line.output.1)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        // Nor here, where the limit is to be the one that nodes have.
        if port != nil, process.errorOutput.contains("timeout expired") {
            return try await self.start(name, port: port)
        }
        throw ProcessFailure("a node did not start: \(process.errorOutput)")
    }

    /// How many signs of life a node has given in all its runs.
    func beats(of name: String) async throws -> Int {
        let database = self.database
        let rows = try await onOwnThread { try database.query("SELECT beat FROM node WHERE node_id = '\(name)'") }
        guard rows.count == 1, let beats = Int(rows[0]) else { throw ProcessFailure("no beats of \(name): \(rows)") }
        return beats
    }
}
