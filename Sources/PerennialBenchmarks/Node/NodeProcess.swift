import Foundation

/// A running node in a process of its own.
final class NodeProcess: Sendable {
    /// What it owns of the store's shards.
    enum Role: Sendable {
        case all
        /// 0 or 1.
        case half(Int)
        /// Its share, by a lease, as the node of this name.
        case leased(String)

        fileprivate var arguments: [String] {
            switch self {
            case .all: []
            case .half(let half): ["--half", "\(half)"]
            case .leased(let name): ["--leased", name]
            }
        }
    }

    /// Of the node.
    let port: Int
    /// Of the bare server beside it.
    let barePort: Int
    private let child: Process
    /// Held open: a node ends when its standard input does.
    private let input: Pipe
    private let end: Task<Void, Never>

    /// Runs a node on a store while `body` runs; it has stopped and closed the store when this returns or throws.
    static func run<Result: Sendable>(
        on store: String, root: String, as role: Role = .all, _ body: (NodeProcess) async throws -> Result
    ) async throws -> Result {
        let node = try await Self.start(on: store, root: root, as: role)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(node)) } catch { result = .failure(error) }
        try await node.stop()
        return try result.get()
    }

    /// Returns when the node is ready.
    static func start(on store: String, root: String, as role: Role = .all) async throws -> NodeProcess {
        let child = Process()
        let (input, output) = (Pipe(), Pipe())
        child.executableURL = URL(
            filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        child.arguments = ["node", "--store", store, "--root", root] + role.arguments
        child.standardInput = input
        child.standardOutput = output
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        child.terminationHandler = { _ in continuation.finish() }
        try child.run()
        let ports = await Self.ports(output.fileHandleForReading)
        guard let port = ports[.api], let barePort = ports[.bare] else {
            child.terminate()
            throw BenchmarkError("the node did not start")
        }
        return NodeProcess(port, barePort, child, input, Task { for await _ in ends {} })
    }

    private init(_ port: Int, _ barePort: Int, _ child: Process, _ input: Pipe, _ end: Task<Void, Never>) {
        self.port = port
        self.barePort = barePort
        self.child = child
        self.input = input
        self.end = end
    }

    private static func ports(_ output: FileHandle) async -> [NodePorts.Server: Int] {
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        output.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(data) }
        }
        defer { output.readabilityHandler = nil }
        var text = ""
        for await chunk in chunks {
            text += String(decoding: chunk, as: UTF8.self)
            var ports = NodePorts()
            for line in text.split(separator: "\n") where ports.read(line) { return ports.ports }
        }
        return [:]
    }

    // MARK: The end

    /// Stops it in good order.
    func stop() async throws {
        self.child.terminate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForEnd() }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                self.signal(SIGKILL)
                throw BenchmarkError("a node did not stop within a minute")
            }
            try await group.next()
            group.cancelAll()
        }
        guard self.child.terminationStatus == 0 else {
            throw BenchmarkError("a node ended with status \(self.child.terminationStatus)")
        }
    }

    func signal(_ number: Int32) { kill(self.child.processIdentifier, number) }

    func waitForEnd() async { await self.end.value }

    // MARK: Use

    func use() throws -> ProcessUse { try ProcessUse(of: self.child.processIdentifier) }

    /// Returns when the node has done what it does by itself after a start: next to no work for half a second.
    func settle() async throws {
        var before = try self.use().processorTime
        while true {
            try await Task.sleep(for: .milliseconds(500))
            let now = try self.use().processorTime
            if now - before <= .milliseconds(20) { return }
            before = now
        }
    }
}
