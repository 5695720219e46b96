import EventLog
import PerennialTestSupport

/// A store of several nodes that does what another one does, but for what its type says otherwise.
protocol ForwardingSharedStore: ForwardingStore, SharedEventStore {
    var shared: any SharedEventStore { get }
}

extension ForwardingSharedStore {
    var inner: any EventStore { self.shared }

    func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun {
        try self.shared.begin(node, lease: lease)
    }

    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? { try self.shared.beat(run) }

    func leave(_ run: NodeRun) throws(StoreError) { try self.shared.leave(run) }

    func depose(_ seen: NodeStatus) throws(StoreError) -> Bool { try self.shared.depose(seen) }

    func view() throws(StoreError) -> ClusterView { try self.shared.view() }

    func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership] {
        try self.shared.take(seen, as: run)
    }

    func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) throws(StoreError) -> Bool {
        try self.shared.give(shard, under: epoch, from: owner, to: other)
    }

    func put(_ row: InboxRow) async throws(StoreError) { try await self.shared.put(row) }

    func inbox(of shards: [ShardID], after last: InboxRow?, limit: Int) async throws(StoreError) -> [InboxRow] {
        try await self.shared.inbox(of: shards, after: last, limit: limit)
    }

    func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID> {
        try await self.shared.removeFromInbox(removals)
    }

    func recordFailedAttempt(
        _ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64
    ) async throws(StoreError) {
        try await self.shared.recordFailedAttempt(dedupKeys, parkingAt: limit, at: moment)
    }

    func inboxDepth() async throws(StoreError) -> InboxDepth { try await self.shared.inboxDepth() }
}
