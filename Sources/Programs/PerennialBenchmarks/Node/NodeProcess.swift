import Foundation
import PostgresHarness

/// A running node in a process of its own.
final class NodeProcess: Sendable {
    /// What it owns of the store's shards.
    enum Role: Sendable {
        case all
        /// 0 or 1.
        case half(Int)
        /// Its share, by a lease, as the node of this name.
        case leased(String)
        /// One shard; the others it has in a mirror.
        case mirror

        fileprivate var arguments: [String] {
            switch self {
            case .all: []
            case .half(let half): ["--half", "\(half)"]
            case .leased(let name): ["--leased", name]
            case .mirror: ["--mirror"]
            }
        }
    }

    /// Of the node.
    let port: Int
    /// Of the bare server beside it.
    let barePort: Int
    private let child: ChildProcess
    /// Held open: a node ends when its standard input does.
    private let input: FileHandle
    /// With its exit code.
    private let end: Task<Int32?, Never>

    /// Runs a node on a store while `body` runs; it has stopped and closed the store when this returns or throws.
    /// - Parameter core: the processor that it may use; nil for all.
    static func run<Result: Sendable>(
        on store: String, root: String, as role: Role = .all, core: Int? = nil,
        _ body: (NodeProcess) async throws -> Result
    ) async throws -> Result {
        let node = try await Self.start(on: store, root: root, as: role, core: core)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(node)) } catch { result = .failure(error) }
        try await node.stop()
        return try result.get()
    }

    /// Returns when the node is ready.
    static func start(
        on store: String, root: String, as role: Role = .all, core: Int? = nil
    ) async throws -> NodeProcess {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let output = FileManager.default.temporaryDirectory.appending(path: "perennial-node-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let input = Pipe()
        let binding = core.map { ["taskset", "--cpu-list", "\($0)"] } ?? []
        let child = try ChildProcess(
            binding + [own, "node", "--store", store, "--root", root] + role.arguments,
            input: input.fileHandleForReading.fileDescriptor, output: output.path, errors: "/proc/\(getpid())/fd/2",
            directory: FileManager.default.currentDirectoryPath)
        var ports = NodePorts()
        do {
            try await Patience.until("the start of a node") {
                let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
                // The last line may not be whole.
                return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().contains {
                    ports.read($0)
                }
            }
        } catch {
            kill(child.id, SIGKILL)
            throw error
        }
        guard let port = ports.ports[.api], let barePort = ports.ports[.bare] else {
            throw BenchmarkError("the node named no ports")
        }
        return NodeProcess(port, barePort, child, input.fileHandleForWriting)
    }

    private init(_ port: Int, _ barePort: Int, _ child: ChildProcess, _ input: FileHandle) {
        self.port = port
        self.barePort = barePort
        self.child = child
        self.input = input
        self.end = Task {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: child.wait()) }
            }
        }
    }

    // MARK: The end

    /// Stops it in good order.
    func stop() async throws {
        self.signal(SIGTERM)
        let status = try await self.waitForEnd()
        guard status == 0 else { throw BenchmarkError("a node ended with status \(status)") }
    }

    func signal(_ number: Int32) { kill(self.child.id, number) }

    /// Kills it when it does not end within a minute.
    /// - Returns: its exit code.
    @discardableResult
    func waitForEnd() async throws -> Int32 {
        let deadline = Task {
            try await Task.sleep(for: .seconds(60))
            self.signal(SIGKILL)
        }
        defer { deadline.cancel() }
        guard let status = await self.end.value else { throw BenchmarkError("a node is not a child any more") }
        return status
    }

    // MARK: Use

    func use() throws -> ProcessUse { try ProcessUse(of: self.child.id) }

    /// Returns when the node has done what it does by itself after a start.
    func settle() async throws { try await ProcessUse.untilIdle(self.child.id) }
}
