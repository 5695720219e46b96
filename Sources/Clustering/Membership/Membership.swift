import EventSourcing
import Logging
import Synchronization

/// Which nodes there are and who owns which shard, as the store says: read once a second, and at once when it turns out
/// to be old. Ownership is learned from nowhere else.
final class Membership: Sendable {
    struct Snapshot: Sendable {
        var nodes: [NodeID: NodeRecord] = [:]
        /// By shard; empty before the first reading.
        var shards: [ShardRecord] = []
        /// By the name that the ZAP handler gives to whoever holds a key.
        var users: [String: NodeID] = [:]

        /// The owner of a shard, if the run that owns it is the one that its node has registered.
        func owner(of shard: ShardID) -> (record: ShardRecord, node: NodeRecord)? {
            guard Int(shard.rawValue) < self.shards.count else { return nil }
            let record = self.shards[Int(shard.rawValue)]
            guard let owner = record.owner, let node = self.nodes[owner.node], node.incarnation == owner.incarnation
            else { return nil }
            return (record, node)
        }
    }

    private struct State {
        var snapshot = Snapshot()
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isFailing = false
        var hasEnded = false
    }

    private static let interval = Duration.seconds(1)

    private let store: any EventStore
    private let logger: Logger
    private let state = Mutex(State())
    private let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(store: any EventStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    var snapshot: Snapshot { self.state.withLock(\.snapshot) }

    /// Reads soon; any number of requests before that are one.
    func refresh() { self.request.yield() }

    /// Returns once the store has been read, or could not be, after this moment.
    func refreshed() async {
        await withCheckedContinuation { waiter in
            let hasEnded = self.state.withLock { state in
                if !state.hasEnded { state.waiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() } else { self.refresh() }
        }
    }

    /// Until it is cancelled.
    /// - Parameter onChange: called after each reading that brought something new.
    func run(onChange: @Sendable (Snapshot) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    self.refresh()
                    try? await Task.sleep(for: Self.interval)
                }
            }
            for await _ in self.requests { await self.read(onChange) }
            group.cancelAll()
        }
        let waiters = self.state.withLock { state in
            state.hasEnded = true
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    private func read(_ onChange: (Snapshot) -> Void) async {
        let waiters = self.state.withLock { Self.takeWaiters(&$0) }
        defer { for waiter in waiters { waiter.resume() } }
        do {
            let snapshot = Snapshot(nodes: try await self.store.nodes(), shards: try await self.store.shards())
            self.state.withLock { state in
                state.snapshot = snapshot
                state.isFailing = false
            }
            onChange(snapshot)
        } catch {
            // What was known last goes on: who answers decides for himself whether he still may.
            let isNews = self.state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            guard isNews, !Task.isCancelled else { return }
            self.logger.warning(
                "The nodes cannot be read from the store",
                metadata: .cluster([.error: "\(error.code): \(error.message)"]))
        }
    }

    private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiters = [] }
        return state.waiters
    }
}

extension Membership.Snapshot {
    init(nodes: [NodeRecord], shards: [ShardRecord]) {
        self.init(shards: shards)
        for node in nodes {
            self.nodes[node.id] = node
            for key in node.curveKeys { self.users[Self.user(node.id, key)] = node.id }
        }
    }

    /// The name of whoever holds `key`: a key that is not listed any more names nobody, on old connections too.
    static func user(_ node: NodeID, _ key: [UInt8]) -> String {
        "\(node.rawValue) \(key.map { String($0, radix: 16) }.joined(separator: "."))"
    }

    /// The name under which `key` is listed.
    func user(of key: [UInt8]) -> String? {
        self.nodes.values.first { $0.curveKeys.contains(key) }.map { Self.user($0.id, key) }
    }
}
