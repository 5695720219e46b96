import Clustering
import EventLog
import Synchronization
import Testing
import ZeroMQ

/// How a node finds out that nobody listens any more where it was connected to.
@Suite(.timeLimit(.minutes(10))) struct ConnectionProbeTests {
    private final class Heard: Sendable {
        private let knocks = Mutex<[(run: ShardRecord.Owner, isRefused: Bool)]>([])

        func add(_ run: ShardRecord.Owner, _ isRefused: Bool) { self.knocks.withLock { $0.append((run, isRefused)) } }

        var runs: Set<ShardRecord.Owner> { self.knocks.withLock { Set($0.map(\.run)) } }
        var refusalCount: Int { self.knocks.withLock { $0.count(where: \.isRefused) } }
        var isRefused: Bool { self.knocks.withLock { $0.last?.isRefused ?? false } }
    }

    @Test func aRunThatIsGoneIsToldAgainAndAgainUntilItsNodeIsBack() async throws {
        try await TestCluster.run { cluster in
            // given: two nodes that are connected
            let caller = try await cluster.start("caller")
            let heard = Heard()
            caller.node.onProbe(heard.add)
            let keys = try CurveKeyPair()
            let owner = try await cluster.start("owner", owning: [0], keys: keys)
            let endpoint = try #require(await owner.node.registration()?.endpoint)
            _ = try await caller.worker(0).echo(Bytes([1]))
            caller.node.watch([owner.run])
            #expect(heard.runs.isEmpty)
            // when
            await owner.stop()
            // then
            while heard.refusalCount < 5 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(heard.runs == [owner.run])

            // when
            _ = try await cluster.start("owner", owning: [0], keys: keys, bind: endpoint)
            // then
            while heard.isRefused { try await Task.sleep(for: .milliseconds(10)) }
            #expect(heard.runs == [owner.run])
        }
    }

    @Test func aRunThatLivesIsConnectedToThoughNobodyCallsIt() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner")
            #expect(caller.node.connections.isEmpty)
            // when, then
            while caller.node.connections != [owner.run.node: true] {
                caller.node.watch([owner.run])
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test(arguments: [false, true])
    func aRunThatDoesNotLiveIsKnockedAtNoMore(_ isCalled: Bool) async throws {
        try await TestCluster.run { cluster in
            // given: one that has been connected to, and is gone
            let caller = try await cluster.start("caller")
            let heard = Heard()
            caller.node.onProbe(heard.add)
            let owner = try await cluster.start("owner", owning: [0])
            _ = try await caller.worker(0).echo(Bytes([1]))
            caller.node.watch([owner.run])
            await owner.stop()
            let call = Task { if isCalled { _ = try await caller.worker(0).echo(Bytes([2])) } }
            while heard.refusalCount < 2 { try await Task.sleep(for: .milliseconds(10)) }
            // when
            caller.node.watch([])
            // then: a knock may have been under way
            let refusals = heard.refusalCount
            while heard.isRefused { try await Task.sleep(for: .milliseconds(10)) }
            #expect(heard.refusalCount <= refusals + 1)
            // and it is connected to only for who waits for it
            #expect(isCalled || caller.node.connections.isEmpty)
            call.cancel()
            _ = await call.result
        }
    }

    @Test(arguments: ["tcp://127.0.0.1:1", "tcp://localhost:1"])
    func nobodyListensWhereAKnockIsRefused(_ endpoint: String) throws {
        let knock = try #require(ConnectionProbe(endpoint))
        #expect(knock.isRefused())
    }

    @Test func aPeerThatListensAndSaysNothingRefusesNothing() async throws {
        // given
        let peer = try await StalledPeer(keys: CurveKeyPair())
        // when
        let knock = try #require(ConnectionProbe(peer.endpoint))
        // then
        #expect(!knock.isRefused())
        withExtendedLifetime(peer) {}
    }

    @Test(arguments: ["", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:99999", "ipc:///tmp/node:7000"])
    func whatIsNoAddressIsNotKnockedAt(_ endpoint: String) {
        #expect(ConnectionProbe(endpoint) == nil)
    }
}
