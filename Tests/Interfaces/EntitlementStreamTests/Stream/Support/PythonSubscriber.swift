import EntitlementStream
import Foundation
import PerennialTestSupport
import PostgresHarness
import Subscriptions
import Synchronization
import ZeroMQ

/// The example subscriber at work, with files for what it says; ended when it goes out of scope.
final class PythonSubscriber {
    static let python = ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"]

    /// A line that it prints.
    struct Change: Decodable {
        var shard: Int
        var sequence: Int
        var id: String
        var version: Int
    }

    /// One of all that it has in the end.
    struct Row: Decodable, Hashable {
        var kind: String
        var id: String
        var environment: String
        var bundleId: String
        var version: Int
        var entitled: Bool
        var state: String?
        var productId: String?
        var validUntil: Int64?
    }

    /// What one of the customers that it was asked about may use.
    struct Entitled: Decodable, Hashable {
        var customer: String
        var entitlements: [String]
    }

    private final class Exit: Sendable {
        let status = Mutex<Int32?>(nil)
    }

    private let process: ChildProcess
    private let exit = Exit()
    private let folder: URL

    /// - Parameters:
    ///   - positions: where it goes on after another, and says how far it has come.
    ///   - customers: of whom it says what they may use.
    init(
        of running: PublishingNode.Running, _ node: PublishingNode, keys: CurveKeyPair, positions: URL? = nil,
        customers: [String] = []
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "subscriber-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        try Data((Z85.text(of: keys.secretKey) ?? "").utf8).write(to: folder.appending(path: "key"))
        try Self.compileSchema(into: folder)
        for name in ["out", "errors"] { _ = FileManager.default.createFile(atPath: path(name), contents: nil) }
        self.folder = folder
        self.process = try ChildProcess(
            [
                Self.python ?? "", Self.proto.appending(path: "example/subscriber.py").path, "--node",
                "\(running.endpoints.stream)=\(Z85.text(of: node.stream.keys.publicKey) ?? "")", "--key-file",
                path("key"),
                "--dump", path("dump"), "--at", "\((PublishingNode.start + .days(250)).milliseconds)",
            ] + (positions.map { ["--resume", $0.path] } ?? []) + customers.flatMap { ["--customer", $0] }, input: nil,
            output: path("out"),
            errors: path("errors"), environment: ["PYTHONPATH": folder.path, "PYTHONDONTWRITEBYTECODE": "1"],
            directory: folder.path)
        let (process, exit) = (self.process, self.exit)
        Thread.detachNewThread {
            let status = process.wait() ?? -1
            exit.status.withLock { $0 = status }
        }
    }

    deinit {
        if self.isRunning { self.send(SIGKILL) }
        try? FileManager.default.removeItem(at: self.folder)
    }

    private static let proto = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../../proto").standardizedFileURL

    private static func compileSchema(into folder: URL) throws {
        let protoc = Process()
        protoc.executableURL = URL(filePath: "/usr/bin/env")
        protoc.arguments = [
            "protoc", "--proto_path=\(Self.proto.path)", "--python_out=\(folder.path)", "perennial/v1/stream.proto",
        ]
        try protoc.run()
        protoc.waitUntilExit()
    }

    private func path(_ name: String) -> String { self.folder.appending(path: name).path }
    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: self.path(name)) ?? Data(), as: UTF8.self)
    }

    var errors: String { self.text("errors") }
    var isRunning: Bool { self.exit.status.withLock { $0 == nil } }

    func send(_ signal: Int32) { kill(self.process.id, signal) }

    /// Whole ones: what is after the last line feed may be a part of one.
    private var lines: [Substring] {
        self.text("out").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    private static func isOfCustomer(_ line: Substring) -> Bool { line.hasPrefix("{\"customer\"") }

    private static func isRewind(_ line: Substring) -> Bool { line.contains("\"rewound\"") }

    /// How many lines it has printed so far.
    var lineCount: Int {
        FileManager.default.contents(atPath: self.path("out"))?.count { $0 == UInt8(ascii: "\n") } ?? 0
    }

    /// All that it has told so far.
    func changes() throws -> [Change] {
        try self.lines.filter { !Self.isRewind($0) && !Self.isOfCustomer($0) }.map {
            try JSONDecoder().decode(Change.self, from: Data($0.utf8))
        }
    }

    /// What it has said of customers so far.
    func entitled() throws -> [Entitled] {
        try self.lines.filter(Self.isOfCustomer).map { try JSONDecoder().decode(Entitled.self, from: Data($0.utf8)) }
    }

    /// Of how many shards it has said that what was told may never have been.
    var rewinds: Int { self.lines.count(where: Self.isRewind) }

    /// How often it had to ask for changes, as it says in the end.
    var questions: Int { self.errors.firstMatch(of: /asked (\d+) times/).flatMap { Int($0.1) } ?? 0 }

    /// Ends it.
    func end() async throws -> (status: Int32, dump: [Row]) {
        self.send(SIGTERM)
        await eventually { !self.isRunning }
        let dump = FileManager.default.contents(atPath: self.path("dump")) ?? Data("[]".utf8)
        return (self.exit.status.withLock(\.self) ?? -1, try JSONDecoder().decode([Row].self, from: dump))
    }
}
