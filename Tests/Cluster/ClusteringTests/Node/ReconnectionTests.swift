import Clustering
import EventLog
import InMemoryStore
import Testing
import WireProtocol

/// Connections end, and the runs at both ends of them go on.
@Suite(.timeLimit(.minutes(10))) struct ReconnectionTests {
    /// A node that calls, and one that owns shards 0 and 1 and is reached through a relay alone.
    private func run(
        heartbeatTimeout: Duration = .seconds(60),
        _ body: (_ caller: TestNode, _ owner: TestNode, _ relay: Relay) async throws -> Void
    ) async throws {
        try await TestCluster.run { cluster in
            let caller = try await cluster.start("caller") { $0.heartbeatTimeout = heartbeatTimeout }
            let owner = try cluster.make("owner")
            var record = try #require(await owner.node.registration())
            let relay = try Relay(to: try #require(record.endpoint))
            record.endpoint = relay.endpoint
            try cluster.store.register(record)
            owner.own([0, 1], in: cluster)
            await cluster.refresh()
            try await body(caller, owner, relay)
        }
    }

    /// Calls that have been handed over: the owner runs them, and answers none.
    private static func unanswered(by owner: TestNode, of caller: TestNode) async throws -> [Task<Void, any Error>] {
        let calls = (0..<5).map { _ in Task { try await caller.worker(0).wait() } }
        let commands = (0..<5).map { _ in
            Task { _ = try await caller.worker(1).submitSlowly(CommandBatch([[1]])).all() }
        }
        try await owner.journal.reach(10)
        return calls + commands
    }

    private static func expectLost(_ calls: [Task<Void, any Error>]) async {
        for call in calls {
            let error = await #expect(throws: ClusterError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
        }
    }

    private static let items = (0..<100 as Range<UInt8>).map { [100, $0] }

    /// Each of `items` is made before the one before it has its answer.
    /// - Parameter onceMade: called when all have been made.
    private static func submitItems(by caller: TestNode, onceMade: () -> Void = {}) async throws {
        let worker = try caller.worker(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for item in Self.items {
                group.addImmediateTask {
                    let outcomes = try await worker.submit(CommandBatch([item])).all()
                    #expect(outcomes == [item])
                }
            }
            onceMade()
            try await group.waitForAll()
        }
    }

    @Test func aConnectionThatIsResetIsMadeAgain() async throws {
        try await self.run { caller, owner, relay in
            // given
            let calls = try await Self.unanswered(by: owner, of: caller)
            // when
            relay.reset()
            // then
            await Self.expectLost(calls)
            try await Self.submitItems(by: caller)
            #expect(Array(owner.journal.entries.dropFirst(10)) == Self.items)
            #expect(caller.node.connections == [owner.configuration.node: true])

            // when: what is lost is answered after all
            for outcomes in owner.journal.kept { outcomes.put([2], at: 0) }
            // then
            let answer = try await caller.worker(0).echo(Bytes([3]))
            #expect(answer == Bytes([3]))
        }
    }

    @Test func whoFallsSilentIsNotWaitedForAndIsCalledAgainOnceHeard() async throws {
        try await self.run(heartbeatTimeout: .seconds(10)) { caller, owner, relay in
            // given
            let calls = try await Self.unanswered(by: owner, of: caller)
            // when: no connection ends, and none says anything
            relay.fallSilent()
            // then: it is not their deadline that ends them
            await Self.expectLost(calls)
            #expect(caller.node.connections == [owner.configuration.node: false])

            // when: these have not been sent by then
            try await Self.submitItems(by: caller, onceMade: relay.speak)
            // then
            #expect(Array(owner.journal.entries.dropFirst(10)) == Self.items)
            #expect(caller.node.connections == [owner.configuration.node: true])
        }
    }

    @Test func connectionsThatAreResetUnderLoad() async throws {
        try await self.run { caller, owner, relay in
            // given
            let isDone = Flag()
            defer { isDone.raise() }
            let load = Task {
                try await withThrowingTaskGroup(of: [[UInt8]: Bool].self) { group in
                    for lane in 0..<16 as Range<UInt8> {
                        group.addTask { try await Self.call(caller, lane, until: isDone) }
                    }
                    return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
                }
            }
            // when
            for _ in 0..<6 {
                try await owner.journal.reach(owner.journal.entries.count + 100)
                relay.reset()
            }
            try await owner.journal.reach(owner.journal.entries.count + 100)
            isDone.raise()
            // then: each call had one end, ran at most once, and did run when it was answered
            let ends = try await load.value
            let ran = owner.journal.entries
            #expect(Set(ran).count == ran.count)
            #expect(Set(ends.filter(\.value).keys).subtracting(ran).isEmpty)
            #expect(Set(ran).subtracting(ends.keys).isEmpty)
            // and commands ran in their order, those of which nobody knows what became among them
            for lane in 0..<8 as Range<UInt8> {
                let numbers = ran.filter { $0[0] == lane }.map { Int($0[1]) | Int($0[2]) << 8 }
                #expect(numbers == numbers.sorted())
            }
            #expect(caller.node.connections == [owner.configuration.node: true])
        }
    }

    /// Commands in the first lanes, and questions in the others.
    /// - Returns: each call, and whether it was answered.
    private static func call(_ caller: TestNode, _ lane: UInt8, until isDone: Flag) async throws -> [[UInt8]: Bool] {
        var ends: [[UInt8]: Bool] = [:]
        var number = 0
        let worker = try caller.worker(UInt16(lane % 2))
        while !isDone.isRaised {
            let item = [lane, UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16)]
            number += 1
            do {
                if lane < 8 {
                    let answer = try await worker.submit(CommandBatch([item])).all()
                    #expect(answer == [item])
                } else {
                    let answer = try await worker.echo(Bytes(item))
                    #expect(answer.value == item)
                }
                #expect(ends.updateValue(true, forKey: item) == nil)
            } catch let error as ClusterError {
                #expect(error.code == .connectionLost, "\(error)")
                #expect(ends.updateValue(false, forKey: item) == nil)
            }
        }
        return ends
    }
}
