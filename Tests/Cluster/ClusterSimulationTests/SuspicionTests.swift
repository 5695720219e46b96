import EventLog
import Ownership
import Testing

/// One thing befalls one node of a cluster whose leases are long; nothing else goes wrong.
@Suite struct SuspicionTests {
    /// Clients have called all nodes for a while.
    private func cluster(_ seed: UInt64) -> SimulatedCluster {
        let configuration = SimulationConfiguration(length: .seconds(100), lease: .seconds(60))
        let cluster = SimulatedCluster(seed: seed, configuration: configuration)
        cluster.isCalm = true
        for node in cluster.nodes { node.start() }
        cluster.timeline.run(until: .seconds(2))
        cluster.call()
        cluster.timeline.run(until: .seconds(5))
        return cluster
    }

    private func owner(in cluster: SimulatedCluster) throws -> SimulatedNode {
        try #require(cluster.nodes.first { !$0.work.isEmpty })
    }

    private func life(of node: SimulatedNode, in cluster: SimulatedCluster) -> NodeStatus.Life? {
        cluster.store.nodes[node.id]?.life
    }

    @Test(
        "what a node that is killed owned has another owner soon, who answers when the lease is over",
        arguments: UInt64(1)...20)
    func isTakenOver(_ seed: UInt64) throws {
        // given
        let cluster = self.cluster(seed)
        let victim = try self.owner(in: cluster)
        let shards = Set(victim.work.keys)
        // when
        victim.kill()
        cluster.timeline.run(until: .seconds(5) + .milliseconds(2_500))
        // then
        #expect(self.life(of: victim, in: cluster) == .deposed)
        #expect(cluster.isServed)
        for node in cluster.nodes {
            for (shard, lifecycle) in node.lifecycles where lifecycle.stored.epoch != nil && shards.contains(shard) {
                // By clocks that run apart by a fiftieth.
                #expect(lifecycle.wait(at: node.now) > .seconds(54))
            }
        }
        #expect(cluster.history.violations.isEmpty)
    }

    @Test(
        "nobody waits for one who is killed and comes back, for then he is known to be gone",
        arguments: UInt64(1)...20)
    func isKnownToBeGone(_ seed: UInt64) throws {
        // given
        let cluster = self.cluster(seed)
        let victim = try self.owner(in: cluster)
        victim.kill()
        cluster.timeline.run(until: .seconds(8))
        // when
        victim.start()
        cluster.timeline.run(until: .seconds(9))
        // then
        for node in cluster.nodes {
            #expect(node.lifecycles.values.allSatisfy { $0.wait(at: node.now) == .zero })
        }
        #expect(cluster.history.violations.isEmpty)
    }

    @Test("who is stopped refuses nothing, and keeps what it owns until its lease is over", arguments: UInt64(1)...20)
    func isNotTakenOver(_ seed: UInt64) throws {
        // given
        let cluster = self.cluster(seed)
        let victim = try self.owner(in: cluster)
        // when
        victim.pause(for: .seconds(90))
        cluster.timeline.run(until: .seconds(60))
        // then
        #expect(self.life(of: victim, in: cluster) == .live)
        // when
        cluster.timeline.run(until: .seconds(69))
        // then
        #expect(self.life(of: victim, in: cluster) == .deposed)
    }

    @Test("who lives and listens no more keeps what it owns", arguments: UInt64(1)...20)
    func isLeftAlone(_ seed: UInt64) throws {
        // given
        let cluster = self.cluster(seed)
        let victim = try self.owner(in: cluster)
        // when
        cluster.refuseConnections(to: victim, for: .seconds(90))
        cluster.timeline.run(until: .seconds(90))
        // then
        #expect(self.life(of: victim, in: cluster) == .live)
        #expect(!victim.work.isEmpty)
    }
}
