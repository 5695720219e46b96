import Clustering
import EventLog
import InMemoryStore
import Testing
import WireProtocol
import ZeroMQ

/// For how long a caller waits, as it says, and as the owner takes it; no call here is taken back.
@Suite(.timeLimit(.minutes(10))) struct RemainingTimeTests {
    /// A node that owns shard 0, and a peer that is listed under the name "raw".
    private func run(
        _ change: (inout ClusterConfiguration) -> Void = { _ in },
        _ body: (_ cluster: TestCluster, _ owner: TestNode, _ raw: RawPeer, _ record: NodeRecord) async throws -> Void
    ) async throws {
        try await TestCluster.run { cluster in
            let owner = try await cluster.start("owner", owning: [0], change)
            let (record, keys) = try await cluster.list("raw")
            try await body(cluster, owner, try await RawPeer(to: owner, keys: keys), record)
        }
    }

    @Test func aCallSaysForHowLongItsCallerWaits() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let raw = try await RawOwner { [[$0.answer()]] }
            try await raw.own([0], in: cluster)
            let worker = try caller.worker(0)
            // when
            for patience in [20, 2_000] {
                _ = try await ClusterSystem.$deadline.withValue(.now + .seconds(patience)) {
                    try await worker.echo(Bytes([1]))
                }
            }
            _ = try await worker.echo(Bytes([1]))
            // then: less than the whole, and the 60 s of the configuration where nothing else is said
            let remaining = raw.calls.map(\.remaining)
            try #require(remaining.count == 3)
            #expect((1..<20_000).contains(remaining[0]))
            #expect((60_001..<2_000_000).contains(remaining[1]))
            #expect((1..<60_000).contains(remaining[2]))
        }
    }

    @Test(arguments: [Contract.Number.echo, Contract.Number.submit])
    func whatIsOverWhenItComesDoesNotRunAndTakesNoRoom(_ target: UInt32) async throws {
        try await self.run {
            $0.callLimit = 1
        } _: { _, owner, raw, record in
            // given
            let over = Frame.call(
                from: record, to: owner, id: 1, target: target, remaining: 0,
                arguments: [CommandBatch([[66]]).wireBytes()])
            // when
            var answers = try await raw.send(
                [[over.bytes], [Frame.call(from: record, to: owner, id: 2).bytes]], expecting: 1)
            // then: the other one may come too soon
            for id in 3..<200 as Range<UInt64> where !Self.hasValue(answers) {
                answers = try await raw.send([[Frame.call(from: record, to: owner, id: id).bytes]], expecting: 1)
            }
            #expect(Self.hasValue(answers))
            #expect(owner.journal.entries == [[1]])
        }
    }

    private static func hasValue(_ answers: [Frame]) -> Bool {
        answers.flatMap(\.replies).contains { $0.outcome == .value([1]) }
    }

    @Test func whatIsOverWhenItsTurnComesDoesNotRun() async throws {
        try await self.run { _, owner, raw, record in
            // given: the first holds up the others of its shard until the journal has two entries
            let calls = [
                Frame.call(from: record, to: owner, id: 1, target: Contract.Number.hold, arguments: [[2]]),
                Frame.call(
                    from: record, to: owner, id: 2, target: Contract.Number.submit, remaining: 100,
                    arguments: [CommandBatch([[66]]).wireBytes()]),
                Frame.call(
                    from: record, to: owner, id: 3, target: Contract.Number.submit,
                    arguments: [CommandBatch([[3]]).wireBytes()]),
                Frame.call(from: record, to: owner, id: 4, arguments: [[4]]),
            ]
            async let answers = raw.send(calls.map { [$0.bytes] }, expecting: 3)
            // when: the last one, which is not held up, has come, so the time of the second begun
            try await owner.journal.reach(1)
            try await Task.sleep(for: .milliseconds(100))
            owner.journal.record([5])
            // then
            let ids = try await answers.flatMap(\.replies).map(\.id)
            #expect(Set(ids) == [1, 3, 4])
            #expect(owner.journal.entries == [[4], [5], [3]])
        }
    }

    @Test func whatIsOverWhileItRunsIsCancelled() async throws {
        try await self.run { _, owner, raw, record in
            // On a busy machine its time may be over before it runs: once more then.
            var id: UInt64 = 0
            while !owner.journal.entries.contains([1]) {
                // given
                let calls = [
                    Frame.call(
                        from: record, to: owner, id: id + 1, target: Contract.Number.wait, remaining: 3_000,
                        arguments: []),
                    Frame.call(from: record, to: owner, id: id + 2, arguments: [[5]]),
                ]
                id += 2
                // when: the caller goes away
                _ = try await raw.send(calls.map { [$0.bytes] }, expecting: 1)
                for _ in 0..<600 where !owner.journal.entries.contains([1]) {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            // then
            while !owner.journal.entries.contains([2]) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(Set(owner.journal.entries) == [[1], [5], [2]])
        }
    }

    @Test func whatRunsForARunThatIsOverIsCancelled() async throws {
        try await self.run { cluster, owner, raw, record in
            // given
            let calls = [
                Frame.call(from: record, to: owner, id: 1, target: Contract.Number.wait, arguments: []),
                Frame.call(from: record, to: owner, id: 2, arguments: [[5]]),
            ]
            _ = try await raw.send(calls.map { [$0.bytes] }, expecting: 1)
            try await owner.journal.reach(2)
            await cluster.refresh()
            #expect(!owner.journal.entries.contains([2]))
            // when
            var next = record
            next.incarnation = Incarnation(rawValue: 78)
            try cluster.store.register(next)
            await cluster.refresh()
            // then: long before its time is over
            try await owner.journal.reach(3)
            #expect(Set(owner.journal.entries) == [[1], [5], [2]])
        }
    }
}
