import EventSourcing
import PerennialTestSupport

/// A store that does not hear of the end of a run, as when its process is killed.
struct SilentEnd: ForwardingStore, SharedEventStore {
    let store: InMemoryEventStore

    var inner: any EventStore { self.store }

    func leave(_ run: NodeRun) {}

    // MARK: As it is

    func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun {
        try self.store.begin(node, lease: lease)
    }

    func beat(_ run: NodeRun) -> Bool { self.store.beat(run) }

    func depose(_ seen: NodeStatus) -> Bool { self.store.depose(seen) }

    func view() -> ClusterView { self.store.view() }

    func take(_ seen: [ShardRecord], as run: NodeRun) -> [ShardOwnership] { self.store.take(seen, as: run) }

    func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) -> Bool {
        self.store.give(shard, under: epoch, from: owner, to: other)
    }

    func put(_ row: InboxRow) { self.store.put(row) }

    func inbox(of shards: [ShardID], limit: Int) -> [InboxRow] { self.store.inbox(of: shards, limit: limit) }

    func removeFromInbox(_ removals: [InboxRemoval]) -> Set<ShardID> { self.store.removeFromInbox(removals) }

    func recordFailedAttempt(_ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64) {
        self.store.recordFailedAttempt(dedupKeys, parkingAt: limit, at: moment)
    }

    func inboxDepth() -> InboxDepth { self.store.inboxDepth() }
}
