package import EventLog
import Jobs
package import ServiceContract
import Shards
import Waiting

extension SubscriptionService {
    /// The cluster as the store has it.
    package func clusterStatus() async throws(ServiceError) -> ClusterStatus {
        try await ServiceError.translating {
            let store = self.node.router.store
            guard let shared = store as? any SharedEventStore else {
                let view = try await ClusterView(ofOnly: store, supporting: self.node.featureLevel)
                return ClusterStatus(view, inbox: nil, answeredBy: self.node.id)
            }
            let view = try await DedicatedThread.run(named: "view") { () throws(StoreError) in try shared.view() }
            return ClusterStatus(view, inbox: try await shared.inboxDepth(), answeredBy: self.node.id)
        }
    }

    /// The nodes that this one wants a connection to, and whether there is one.
    package var connections: [NodeID: Bool] { self.node.connections }

    /// Raises the store's feature level to the newest that a living node supports, once all of them do.
    /// - Throws: `.olderNodes`, with the names of those that do not.
    package func finalize() async throws(ServiceError) -> Finalization {
        while true {
            let status = try await self.clusterStatus()
            let living = status.nodes.map(\.status).filter { $0.life == .live }.map(\.record)
            let newest = living.map(\.featureLevel).max() ?? status.featureLevel
            let older = living.filter { $0.featureLevel < newest }
            guard older.isEmpty else { throw ServiceError(newest, isNotSupportedBy: older) }
            guard newest > status.featureLevel else {
                return Finalization(featureLevel: status.featureLevel, isRaised: false)
            }
            let isRaised = try await ServiceError.translating {
                let store = self.node.router.store
                return try await DedicatedThread.run(named: "finalize") { () throws(StoreError) in
                    try store.raiseFeatureLevel(to: newest)
                }
            }
            // Otherwise an older node has begun since the status was read: the next one names it.
            if isRaised {
                // Whoever has something from before is known from now on, and hears of its end and of what it pays for twice.
                if [FeatureLevel.outbox, .duplicatePayments].contains(where: {
                    status.featureLevel < $0 && $0 <= newest
                }) {
                    _ = try? await self.jobs.start(.reevaluate, actor: nil, isBaseline: status.featureLevel < .outbox)
                }
                return Finalization(featureLevel: newest, isRaised: true)
            }
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
        try await self.node.router.move(shard, to: node)
        return try await ServiceError.translating { try await self.node.router.store.shards()[Int(shard.rawValue)] }
    }
}

extension ServiceError {
    fileprivate init(_ level: FeatureLevel, isNotSupportedBy nodes: [NodeRecord]) {
        let names = nodes.map { "\($0.id.rawValue) (level \($0.featureLevel))" }.joined(separator: ", ")
        self.init(
            .olderNodes,
            "feature level \(level) is not supported yet by \(names): start them as the newer version, or stop them")
    }
}

extension ClusterView {
    /// Of a store that no other node uses: each name under which this one has run there.
    fileprivate init(ofOnly store: any EventStore, supporting level: FeatureLevel) async throws {
        let nodes = try await store.nodes().map { record in
            var record = record
            record.featureLevel = level
            return NodeStatus(record: record, liveEpoch: LiveEpoch(rawValue: 1), beat: 0, lease: .zero, life: .live)
        }
        let storeLevel = try await DedicatedThread.run(named: "level") { () throws(StoreError) in
            try store.featureLevel()
        }
        self.init(nodes: nodes, shards: try await store.shards(), featureLevel: storeLevel)
    }
}
