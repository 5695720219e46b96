import EventLog
import PerennialTestSupport
import Synchronization

/// A store of several nodes that can be away for whoever reads, beats or writes.
final class AwayStore: ForwardingSharedStore {
    private struct State {
        var isAway = false
        var questions = 0
    }

    let shared: any SharedEventStore
    private let state = Mutex(State())

    init(_ shared: any SharedEventStore) { self.shared = shared }

    func setAway(_ isAway: Bool) { self.state.withLock { $0.isAway = isAway } }

    /// How often rows of streams were asked for.
    var questions: Int { self.state.withLock(\.questions) }

    private func reach() throws(StoreError) {
        if self.state.withLock(\.isAway) { throw StoreError(.unavailable, "as the test says") }
    }

    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        try self.reach()
        return try self.shared.beat(run)
    }

    func view() throws(StoreError) -> ClusterView {
        try self.reach()
        return try self.shared.view()
    }

    func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership] {
        try self.reach()
        return try self.shared.take(seen, as: run)
    }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        try self.reach()
        return try self.shared.append(batches)
    }

    func heads() async throws(StoreError) -> [Position] {
        try self.reach()
        return try await self.shared.heads()
    }

    func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
        try self.reach()
        return try await self.shared.incarnationTag(of: sequence, in: shard)
    }

    func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        try self.reach()
        return try await self.shared.streams(keys, in: shard)
    }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        self.state.withLock { $0.questions += 1 }
        try self.reach()
        return try await self.shared.streams(withPrefixes: prefixes, limit: limit)
    }
}
