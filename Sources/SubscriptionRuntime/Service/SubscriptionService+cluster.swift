package import EventSourcing
import Synchronization

extension SubscriptionService {
    /// The cluster as the store has it.
    package func clusterStatus() async throws(ServiceError) -> ClusterStatus {
        try await ServiceError.translating {
            let store = self.node.store
            guard let shared = store as? any SharedEventStore else {
                return ClusterStatus(
                    try await ClusterView(ofOnly: store), inbox: nil, answeredBy: self.node.id)
            }
            let view = try await shared.viewFromTask()
            return ClusterStatus(view, inbox: try await shared.inboxDepth(), answeredBy: self.node.id)
        }
    }

    /// Makes a living node the owner of a shard; returns when its row says so.
    /// - Throws: `.invalidRequest` for a shard or node that is not there, or where shards are assigned.
    package func move(_ shard: ShardID, to node: NodeID) async throws(ServiceError) -> ShardRecord {
        let status = try await self.clusterStatus()
        guard Int(shard.rawValue) < status.shards.count else {
            throw ServiceError(.invalidRequest, "there is no shard \(shard.rawValue)")
        }
        guard let next = status.nodes.first(where: { $0.status.id == node && $0.status.life == .live }) else {
            throw ServiceError(.invalidRequest, "no node that lives is called \(node.rawValue)")
        }
        let record = status.shards[Int(shard.rawValue)]
        if record.owner == next.status.owner { return record }
        try await self.node.move(shard, to: node)
        return try await ServiceError.translating { try await self.node.store.shards()[Int(shard.rawValue)] }
    }
}

extension ClusterView {
    /// Of a store that no other node uses: each name under which this one has run there.
    fileprivate init(ofOnly store: any EventStore) async throws {
        let nodes = try await store.nodes().map {
            NodeStatus(record: $0, liveEpoch: LiveEpoch(rawValue: 1), beat: 0, lease: .zero, life: .live)
        }
        self.init(nodes: nodes, shards: try await store.shards())
    }
}

extension SharedEventStore {
    /// `view()`, for those who must not block.
    fileprivate func viewFromTask() async throws(StoreError) -> ClusterView {
        let found = Mutex<ClusterView?>(nil)
        let failure = await OwnThread.run("view") { () throws(StoreError) in
            let view = try self.view()
            found.withLock { $0 = view }
        }
        if let failure { throw failure }
        guard let view = found.withLock(\.self) else { preconditionFailure("a reading that did not fail has a result") }
        return view
    }
}
