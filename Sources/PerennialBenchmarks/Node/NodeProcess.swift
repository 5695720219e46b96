import Foundation

/// A running node in a process of its own.
struct NodeProcess: Sendable {
    /// Of the node.
    let port: Int
    /// Of the bare server beside it.
    let barePort: Int
    private let process: Int32

    /// Runs a node on a store while `body` runs; it has stopped and closed the store when this returns or throws.
    /// - Parameter half: of the shards, 0 or 1; nil for all.
    static func run<Result: Sendable>(
        on store: String, root: String, half: Int? = nil, _ body: (NodeProcess) async throws -> Result
    ) async throws -> Result {
        let child = Process()
        let (input, output) = (Pipe(), Pipe())
        child.executableURL = URL(
            filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        child.arguments = ["node", "--store", store, "--root", root] + (half.map { ["--half", "\($0)"] } ?? [])
        child.standardInput = input
        child.standardOutput = output
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        child.terminationHandler = { _ in continuation.finish() }
        try child.run()

        let result: Swift.Result<Result, any Error>
        do {
            let ports = try await Self.ports(output.fileHandleForReading)
            guard let port = ports[.api], let barePort = ports[.bare] else {
                throw BenchmarkError("the node did not start")
            }
            let node = NodeProcess(port: port, barePort: barePort, process: child.processIdentifier)
            result = .success(try await body(node))
        } catch {
            result = .failure(error)
        }
        try await Self.stop(child, ends)
        // Held until here: a node ends when its standard input does.
        try input.fileHandleForWriting.close()
        return try result.get()
    }

    private static func ports(_ output: FileHandle) async throws -> [NodePorts.Server: Int] {
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

    private static func stop(_ child: Process, _ ends: AsyncStream<Void>) async throws {
        child.terminate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask {
                try await Task.sleep(for: .seconds(60))
                kill(child.processIdentifier, SIGKILL)
                throw BenchmarkError("a node did not stop within a minute")
            }
            try await group.next()
            group.cancelAll()
        }
        guard child.terminationStatus == 0 else {
            throw BenchmarkError("a node ended with status \(child.terminationStatus)")
        }
    }

    func use() throws -> ProcessUse { try ProcessUse(of: self.process) }

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
