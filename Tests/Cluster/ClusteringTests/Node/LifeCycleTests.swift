import Clustering
import EventLog
import Foundation
import InMemoryStore
import Logging
import Ownership
import PerennialTestSupport
import Testing
import WireProtocol
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct LifeCycleTests {
    @Test func anAddressInUseIsAnErrorThatNamesIt() async throws {
        try await TestCluster.run { cluster in
            // given
            let first = try await cluster.start("first")
            let endpoint = try #require(await first.node.registration()?.endpoint)
            // when
            let second = try cluster.make("second", bind: endpoint)
            // then
            #expect(await second.node.registration() == nil)
            let result = await second.stop()
            let error = #expect(throws: ClusterError.self) { try result.get() }
            #expect(error?.code == .unavailable && error?.message.contains(endpoint) == true)
        }
    }

    @Test func aNodeThatStopsTellsEveryCaller() async throws {
        // given
        let errors = try await TestCluster.run { cluster in
            let caller = try await cluster.start("caller", owning: [1])
            let owner = try await cluster.start("owner", owning: [0])
            let outgoing = (0..<50).map { _ in Task { try await caller.worker(0).wait() } }
            let ordered = (0..<50).map { _ in
                Task { try await caller.worker(0).submitSlowly(CommandBatch([[1]])).all() }
            }
            let incoming = (0..<50).map { _ in Task { try await owner.worker(1).wait() } }
            try await owner.journal.reach(100)
            try await caller.journal.reach(50)
            // when
            _ = await caller.stop()
            // then
            var errors: [ClusterError.Code?] = []
            for call in outgoing + incoming {
                errors.append((await #expect(throws: ClusterError.self) { try await call.value })?.code)
            }
            for call in ordered {
                errors.append((await #expect(throws: ClusterError.self) { try await call.value })?.code)
            }
            let late = await #expect(throws: ClusterError.self) { _ = try await caller.worker(0).echo(Bytes([])) }
            #expect(late?.code == .unavailable)
            await caller.node.refreshMembership()
            return errors
        }
        #expect(errors.count == 150)
        #expect(errors.count { $0 == .unavailable } == 100)
        #expect(errors.count { $0 == .connectionLost } == 50, "\(Set(errors))")
    }

    /// Each needs a socket, an eventfd and threads of libzmq: a thousand would not fit if one of them stayed.
    @Test func nodesLeaveNothingBehind() async throws {
        // given
        let descriptors = Self.descriptors
        // when
        for _ in 0..<30 {
            try await TestCluster.run { cluster in
                let caller = try await cluster.start("caller")
                let owner = try await cluster.start("owner", owning: [0])
                let answer = try await caller.worker(0).echo(Bytes([1]))
                #expect(answer == Bytes([1]))
                withExtendedLifetime(owner) {}
            }
        }
        // then: a node holds some twenty; tests that run at the same time have some as well, for a while
        while Self.descriptors - descriptors >= 30 * 20 { try await Task.sleep(for: .milliseconds(20)) }
    }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    }

    @Test func aCallBeforeTheNodeRunsEndsAtItsDeadline() async throws {
        // given
        let contract = await Contract.make()
        let configuration = ClusterConfiguration(
            node: NodeID(rawValue: "idle"), incarnation: Incarnation(rawValue: 1), bind: "tcp://127.0.0.1:*",
            keys: try CurveKeyPair())
        let node = try ClusterNode(
            configuration: configuration, store: InMemoryEventStore(shardCount: 16), contract: contract,
            logger: Logger(label: "idle"))
        let system = ClusterSystem(shardMap: ShardHash(shardCount: 16)!, contract: contract, transport: node)
        let worker = try Worker.resolve(id: ShardActorID(shard: ShardID(rawValue: 0)), using: system)
        // when
        let error = await #expect(throws: ClusterError.self) {
            try await ClusterSystem.$deadline.withValue(.now + .milliseconds(100)) { try await worker.nothing() }
        }
        // then
        #expect(error?.code == .notOwner)
        let reading = Task { await node.refreshMembership() }
        reading.cancel()
        await reading.value
    }

    @Test func aNodeThatIsIdleSleeps() async throws {
        try await TestCluster.run { cluster in
            // given: connected both ways, and everything is answered
            let first = try await cluster.start("first", owning: [0])
            let second = try await cluster.start("second", owning: [1])
            _ = try await first.worker(1).echo(Bytes([1]))
            _ = try await second.worker(0).echo(Bytes([1]))
            // when
            let before = first.node.reactorTurns + second.node.reactorTurns
            try await Task.sleep(for: .seconds(2))
            // then: a deadline that is not needed any more may wake them once
            #expect(first.node.reactorTurns + second.node.reactorTurns - before <= 20)
        }
    }

    /// A wake-up that gets lost shows as a call that nobody answers.
    @Test func burstsAfterPausesAreAnswered() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: Array(0..<4))
            var random = SeededRandom(seed: 8)
            var made = 0
            for _ in 0..<600 {
                // when
                try await Task.sleep(for: .microseconds(Int.random(in: 0...3_000, using: &random)))
                let count = Int.random(in: 1...8, using: &random)
                made += count
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            if number.isMultiple(of: 2) {
                                _ = try await caller.worker(UInt16(number % 4)).echo(Bytes([1]))
                            } else {
                                _ = try await caller.worker(UInt16(number % 4)).submit(CommandBatch([[1]])).all()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            // then
            #expect(owner.journal.entries.count == made)
        }
    }

    @Test func aRecordThatCannotBeUsedHarmsNobody() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            for (place, endpoint) in ["nonsense", "tcp://", "foo://127.0.0.1:1", "tcp://127.0.0.1:99999"].enumerated() {
                let id = NodeID(rawValue: "bad \(place)")
                let incarnation = Incarnation(rawValue: Int64(place))
                try cluster.store.register(
                    NodeRecord(
                        id: id, incarnation: incarnation, endpoint: endpoint,
                        curveKeys: [[UInt8](repeating: 1, count: place == 3 ? 5 : 32)]))
                _ = cluster.store.claim(
                    ShardClaim(
                        [ShardID(rawValue: UInt16(place + 1))],
                        for: ShardRecord.Owner(node: id, incarnation: incarnation)))
            }
            await cluster.refresh()
            // when
            for shard in 1...4 as ClosedRange<UInt16> {
                let error = await #expect(throws: ClusterError.self) {
                    try await ClusterSystem.$deadline.withValue(.now + .milliseconds(100)) {
                        _ = try await caller.worker(shard).echo(Bytes([]))
                    }
                }
                // then
                #expect(error?.code == .deadlineExceeded)
            }
            _ = try await caller.worker(0).echo(Bytes([1]))
            #expect(cluster.log.count(of: "A node cannot be connected to") == 4)
            withExtendedLifetime(owner) {}
        }
    }

    @Test func aNodeThatIsNotThereCostsItsDeadlineAlone() async throws {
        try await TestCluster.run { cluster in
            // given: its address is free by now
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            await owner.stop()
            // when
            let calls = (0..<20).map { _ in
                Task {
                    try await ClusterSystem.$deadline.withValue(.now + .milliseconds(200)) {
                        _ = try await caller.worker(0).echo(Bytes([]))
                    }
                }
            }
            // then
            for call in calls {
                let error = await #expect(throws: ClusterError.self) { try await call.value }
                #expect(error?.code == .deadlineExceeded)
            }
        }
    }
}
