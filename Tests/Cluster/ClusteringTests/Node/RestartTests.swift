import Clustering
import EventLog
import InMemoryStore
import Testing
import WireProtocol
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct RestartTests {
    /// Ends the same node again and again under load.
    @Test func aPeerThatRestartsUnderLoad() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let keys = try CurveKeyPair()
            var owner = try await cluster.start("owner", owning: [0, 1], keys: keys)
            let endpoint = try #require(await owner.node.registration()?.endpoint)
            var journals = [owner.journal]
            let isDone = Flag()
            defer { isDone.raise() }
            let load = Task {
                try await withThrowingTaskGroup(of: [[UInt8]: Bool].self) { group in
                    for lane in 0..<64 as Range<UInt8> {
                        group.addTask { try await Self.call(caller, lane, until: isDone) }
                    }
                    return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
                }
            }
            // when
            for _ in 0..<12 {
                try await owner.journal.reach(300)
                await owner.stop()
                owner = try await cluster.start("owner", owning: [0, 1], keys: keys, bind: endpoint)
                journals.append(owner.journal)
            }
            try await owner.journal.reach(300)
            isDone.raise()
            // then: each call had one end, ran at most once, and did run when it was answered
            let ends = try await load.value
            let ran = journals.flatMap(\.entries)
            #expect(Set(ran).count == ran.count)
            let answered = ends.filter(\.value).keys
            #expect(Set(answered).subtracting(ran).isEmpty)
            #expect(answered.count >= 13 * (300 - 64))
        }
    }

    /// - Returns: each call, and whether it was answered.
    private static func call(
        _ caller: TestNode, _ lane: UInt8, until isDone: Flag
    ) async throws -> [[UInt8]: Bool] {
        var ends: [[UInt8]: Bool] = [:]
        var number = 0
        while !isDone.isRaised {
            let item = [lane, UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16)]
            number += 1
            let worker = try caller.worker(UInt16(lane % 2))
            do {
                if lane < 32 {
                    let answer = try await worker.echo(Bytes(item))
                    #expect(answer.value == item)
                } else {
                    let answer = try await worker.submit(CommandBatch([item])).all()
                    #expect(answer == [item])
                }
                #expect(ends.updateValue(true, forKey: item) == nil)
            } catch let error as ClusterError {
                // A node that is gone is found out by its connection, not by waiting.
                #expect([.connectionLost, .notOwner].contains(error.code), "\(error)")
                #expect(ends.updateValue(false, forKey: item) == nil)
                await Task.yield()
            }
        }
        return ends
    }

    @Test func aNodeThatIsGoneHoldsUpNobodyAndIsCalledAgainWhenItIsBack() async throws {
        try await TestCluster.run { cluster in
            // given: two nodes, of which one is gone, though the node table still has it
            let caller = try await cluster.start("caller") {
                $0.connectPatience = .milliseconds(50)
                $0.ownerPatience = .milliseconds(50)
            }
            let keys = try CurveKeyPair()
            let owner = try await cluster.start("owner", owning: [0], keys: keys)
            let endpoint = try #require(await owner.node.registration()?.endpoint)
            let worker = try caller.worker(0)
            try await Self.untilReached { _ = try await worker.echo(Bytes([1])) }
            await owner.stop()
            // when, then: whoever calls hears of it long before the deadline, also who waits already
            async let code = Self.codeOnceUnreachable { _ = try await worker.submit(CommandBatch([[2]])).all() }
            #expect(await Self.codeOnceUnreachable { _ = try await worker.echo(Bytes([2])) } == .unreachable)
            #expect(await code == .unreachable)

            // when: it comes back
            let back = try await cluster.start("owner", owning: [0], keys: keys, bind: endpoint)
            // then
            var outcomes: [[UInt8]]?
            while outcomes == nil { outcomes = try? await worker.submit(CommandBatch([[3]])).all() }
            #expect(outcomes == [[3]])
            #expect(back.journal.entries == [[3]])
        }
    }

    @Test func aNodeThatWasTakenForDeadIsNotWaitedForAnew() async throws {
        try await TestCluster.run { cluster in
            // given: a node that is gone, though the node table still has it
            let caller = try await cluster.start("caller") { $0.ownerPatience = .milliseconds(10) }
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            try await Self.untilReached { _ = try await worker.echo(Bytes([1])) }
            await owner.stop()
            // when
            while caller.node.connections[NodeID(rawValue: "owner")] != nil {
                caller.node.watch([])
                try await Task.sleep(for: .milliseconds(1))
            }
            // then: there is no other connection that it would wait ten minutes for
            let error = await #expect(throws: ClusterError.self) { try await worker.echo(Bytes([2])) }
            #expect(error?.code == .notOwner)
            #expect(caller.node.connections.isEmpty)
        }
    }

    /// Finding the owner and its first connection may take longer than a caller with little patience waits.
    private static func untilReached(_ call: () async throws -> Void) async throws {
        while true {
            do { return try await call() } catch let error as ClusterError
                where [.unreachable, .notOwner].contains(error.code)
            {}
        }
    }

    /// - Returns: the first error that is not of the run that is gone.
    private static func codeOnceUnreachable(_ call: () async throws -> Void) async -> ClusterError.Code? {
        while true {
            do {
                try await call()
                return nil
            } catch {
                let code = (error as? ClusterError)?.code
                if code != .connectionLost && code != .notOwner { return code }
            }
        }
    }

    /// It may be cut off from the store, and never answer.
    @Test func whoHasBeenAskedAndOwnsTheShardNoMoreIsNotWaitedFor() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") {
                $0.connectPatience = .milliseconds(10)
                $0.ownerPatience = .milliseconds(10)
            }
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            let call = Task {
                // The first may not find its connection in so little time.
                while true {
                    do { return try await worker.wait() } catch let error as ClusterError {
                        guard error.code == .unreachable else { throw error }
                    }
                }
            }
            while owner.journal.entries.isEmpty { await Task.yield() }
            // when
            let next = try await cluster.start("next", owning: [0])
            // then
            await #expect { try await call.value } throws: { ($0 as? ClusterError)?.code == .connectionLost }
            while owner.journal.entries != [[1], [2]] { await Task.yield() }
            // and the next call goes to the other
            while (try? await worker.echo(Bytes([3]))) == nil {}
            #expect(next.journal.entries == [[3]])
        }
    }

    /// The numbers of its calls go on where they were.
    @Test func aRunThatMovesToAnotherAddressIsCalledThere() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            for _ in 0..<50 { _ = try await worker.echo(Bytes([1])) }
            // when: the same run is listed with another key beside its own
            for round in 1...3 as ClosedRange<UInt8> {
                var record = try #require(await owner.node.registration())
                record.curveKeys.append([UInt8](repeating: round, count: 32))
                try cluster.store.register(record)
                await cluster.refresh()
                // then
                let answer = try await worker.echo(Bytes([round]))
                #expect(answer == Bytes([round]))
            }
            #expect(owner.journal.entries.count == 53)
        }
    }

    @Test func callsUnderWayFailAtOnceAndLaterOnesGoOn() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let keys = try CurveKeyPair()
            let owner = try await cluster.start("owner", owning: [0], keys: keys)
            let endpoint = try #require(await owner.node.registration()?.endpoint)
            let waiting = (0..<20).map { _ in Task { try await caller.worker(0).wait() } }
            try await owner.journal.reach(20)
            // when
            await owner.stop()
            // then: some may hear that they were cancelled there before the connection is gone
            for call in waiting {
                let error = await #expect(throws: ClusterError.self) { try await call.value }
                #expect(error?.code == .connectionLost || error?.code == .failed)
            }
            let later = Task { try await caller.worker(0).echo(Bytes([7])) }
            let again = try await cluster.start("owner", owning: [0], keys: keys, bind: endpoint)
            // It was meant for the old run, and nobody knows what became of it; or it waited for the new one.
            _ = await later.result
            let answer = try await caller.worker(0).echo(Bytes([8]))
            #expect(answer == Bytes([8]))
            withExtendedLifetime(again) {}
        }
    }

    /// A node that has begun again calls others, who know its old run.
    @Test func aCallerThatRestartsIsServedOnceItIsKnown() async throws {
        try await TestCluster.run { cluster in
            // given
            let keys = try CurveKeyPair()
            let owner = try await cluster.start("owner", owning: [0])
            let caller = try await cluster.start("caller", keys: keys)
            for _ in 0..<10 { _ = try await caller.worker(0).echo(Bytes([1])) }
            await caller.stop()
            // when: nobody has told the owner
            let again = try cluster.make("caller", keys: keys)
            let record = try #require(await again.node.registration())
            try cluster.store.register(record)
            await again.node.refreshMembership()
            // then
            let answer = try await again.worker(0).echo(Bytes([2]))
            #expect(answer == Bytes([2]))
            #expect(owner.journal.entries.count == 11)
        }
    }
}
