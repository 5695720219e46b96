import Foundation
import NIOCore

/// Notifications over HTTP into a fresh store that syncs every commit.
struct IngestBenchmark: Benchmark {
    static let name = "ingest"
    static let abstract = "notifications acknowledged over HTTP, their latency at 1,000/s, and the bytes they take"

    static let connections = 128
    private static let warmUp = 3_000
    private static let atFullSpeed = 22_000
    private static let pace = 1_000
    private static let paced = 5_000

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + Self.atFullSpeed + Self.paced
        workspace.say("  signing \(count) notifications")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let (closed, open, bytes) = try await self.measure(traffic, in: workspace)
        return [
            Figure("notifications acknowledged", closed.perSecond, "1/s", goal: .valueAtLeast(3_500)),
            Figure(
                "ingest p99 at 1,000/s", open.latency(percentile: 99), "ms", goal: .valueAtMost(50)),
            Figure("storage: a notification, all included", bytes, "bytes", goal: .valueAtMost(1_500)),
        ]
    }

    private func measure(
        _ traffic: NotificationTraffic, in workspace: Workspace
    ) async throws -> (closed: LoadResult, open: LoadResult, bytes: Double) {
        let store = await workspace.supplies.newStore()
        // Closed once without traffic: what is there then is no notification's.
        try await NodeProcess.run(on: store, root: workspace.supplies.root) { _ in }
        let empty = try Self.size(of: store)
        let (closed, open) = try await NodeProcess.run(on: store, root: workspace.supplies.root) { node in
            let generator = LoadGenerator(port: node.port, connections: Self.connections)
            var requests = traffic.requests[...]
            func take(_ count: Int) -> [ByteBuffer] {
                defer { requests = requests.dropFirst(count) }
                return Array(requests.prefix(count))
            }
            _ = try await generator.closed(take(Self.warmUp))
            let closed = try await node.telling("ingest", in: workspace) {
                try await generator.closed(take(Self.atFullSpeed))
            }
            let open = try await node.telling("ingest at \(Self.pace)/s", in: workspace) {
                try await generator.open(take(Self.paced), perSecond: Self.pace)
            }
            return (closed, open)
        }
        let bytes = Double(try Self.size(of: store) - empty) / Double(traffic.requests.count)
        return (closed, open, bytes)
    }

    /// Of the database and all that stands beside it.
    private static func size(of store: String) throws -> Int {
        try ["", "-wal", "-shm"].map { store + $0 }.filter(FileManager.default.fileExists(atPath:)).reduce(0) {
            $0 + (try FileManager.default.attributesOfItem(atPath: $1)[.size] as? Int ?? 0)
        }
    }
}
