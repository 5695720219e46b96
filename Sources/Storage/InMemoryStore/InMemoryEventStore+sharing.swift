package import EventLog
import Synchronization

extension InMemoryEventStore {
    package func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun {
        try self.state.withLock { state throws(StoreError) in
            try node.featureLevel.check(supports: state.featureLevel)
            return state.register(node, lease: lease)
        }
    }

    package func beat(_ run: NodeRun) -> BeatAcknowledgement? {
        self.state.withLock { state in
            guard state.lives(run) else { return nil }
            state.nodes[run.owner.node]?.beat += 1
            return BeatAcknowledgement(time: nil)
        }
    }

    package func leave(_ run: NodeRun) {
        self.state.withLock { state in
            if state.lives(run) { state.nodes[run.owner.node]?.life = .left }
        }
    }

    package func depose(_ seen: NodeStatus) -> Bool {
        self.state.withLock { state in
            guard state.lives(seen.run), state.nodes[seen.id]?.beat == seen.beat else { return false }
            state.nodes[seen.id]?.liveEpoch = seen.liveEpoch.next
            state.nodes[seen.id]?.life = .deposed
            return true
        }
    }

    package func view() -> ClusterView {
        self.state.withLock { state in
            ClusterView(
                nodes: state.sortedNodes, shards: state.shards.map(\.record), featureLevel: state.featureLevel)
        }
    }

    package func featureLevel() -> FeatureLevel { self.state.withLock(\.featureLevel) }

    package func raiseFeatureLevel(to level: FeatureLevel) -> Bool {
        self.state.withLock { state in
            let living = state.nodes.values.filter { $0.life == .live }
            guard living.allSatisfy({ $0.record.featureLevel >= level }) else { return false }
            state.featureLevel = max(state.featureLevel, level)
            return true
        }
    }

    package func take(_ seen: [ShardRecord], as run: NodeRun) -> [ShardOwnership] {
        self.state.withLock { state in
            guard state.lives(run) else { return [] }
            let found = seen.filter { state.shards[Int($0.shard.rawValue)].record.epoch == $0.epoch }
            return found.map { state.shards[Int($0.shard.rawValue)].claim(by: run.owner) }
        }
    }

    package func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) -> Bool {
        self.state.withLock { state in
            let record = state.shards[Int(shard.rawValue)].record
            guard record.owner == owner, record.epoch == epoch,
                state.nodes.values.contains(where: { $0.owner == other && $0.life == .live })
            else { return false }
            _ = state.shards[Int(shard.rawValue)].claim(by: other)
            return true
        }
    }
}

extension InMemoryEventStore.State {
    var sortedNodes: [NodeStatus] { self.nodes.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    func lives(_ run: NodeRun) -> Bool {
        self.nodes[run.owner.node].map { $0.run == run && $0.life == .live } ?? false
    }

    mutating func register(_ node: NodeRecord, lease: Duration) -> NodeRun {
        let earlier = self.nodes[node.id]
        let status = NodeStatus(
            record: node, liveEpoch: earlier?.liveEpoch.next ?? LiveEpoch(rawValue: 1), beat: earlier?.beat ?? 0,
            lease: lease, life: .live)
        self.nodes[node.id] = status
        return status.run
    }
}

extension LiveEpoch {
    fileprivate var next: Self { Self(rawValue: self.rawValue + 1) }
}
