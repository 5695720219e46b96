import EventLog
import Logging
import Synchronization

/// Which nodes there are and who owns which shard, as the store says: read once a second, and soon when it turns out to be
/// old. Ownership is learned from nowhere else.
final class Membership: Sendable {
    private struct State {
        var snapshot = MembershipSnapshot()
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
        var isFailing = false
        var hasEnded = false
    }

    static let interval = Duration.seconds(1)
    /// Whoever makes this node doubt what it knows, a stranger that knocks for one, does not make it ask more often.
    private static let shortestInterval = Duration.milliseconds(20)

    private let store: any EventStore
    private let logger: Logger
    private let state = Mutex(State())
    private let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(store: any EventStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    var snapshot: MembershipSnapshot { self.state.withLock { $0.snapshot } }

    /// As the newest reading has it; asked for each call, so without a copy of all of it.
    func owner(of shard: ShardID) -> MembershipSnapshot.Owner? { self.state.withLock { $0.snapshot.owner(of: shard) } }

    /// Reads soon; any number of requests before that are one.
    func refresh() { self.request.yield() }

    /// Returns once the store has been read, or could not be, after this moment; or when the caller is cancelled.
    func refreshed() async {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = self.state.withLock { state in
                    guard !state.hasEnded, !Task.isCancelled else { return true }
                    state.waiters[id] = waiter
                    return false
                }
                if isOver { waiter.resume() } else { self.refresh() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Until it is cancelled.
    /// - Parameter onReading: called after each reading.
    func run(onReading: @Sendable (MembershipSnapshot) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    self.refresh()
                    try? await Task.sleep(for: Self.interval)
                }
            }
            for await _ in self.requests {
                await self.read(onReading)
                try? await Task.sleep(for: Self.shortestInterval)
            }
            group.cancelAll()
        }
        let waiters = self.state.withLock { state in
            state.hasEnded = true
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    private func read(_ onReading: (MembershipSnapshot) -> Void) async {
        let waiters = self.state.withLock { Self.takeWaiters(&$0) }
        defer { for waiter in waiters { waiter.resume() } }
        do {
            let nodes = try await self.store.nodes()
            let snapshot = MembershipSnapshot(nodes: nodes, shards: try await self.store.shards())
            self.state.withLock { state in
                state.snapshot = snapshot
                state.isFailing = false
            }
            onReading(snapshot)
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
        defer { state.waiters = [:] }
        return Array(state.waiters.values)
    }
}
