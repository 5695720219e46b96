import Clustering
import EventLog
import InMemoryStore
import PerennialTestSupport
import Testing
import WireProtocol
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct BackPressureTests {
    /// Of a call or an answer. Two of them fill a frame.
    private static let size = 64 << 10
    /// More than one connection holds below the queues of a node: 64 frames, and what the kernel takes.
    private static let belowQueues = 32 << 20

    /// Owns shard 0. Its thread stands still, its connections do not break: a socket that accepts and never reads.
    private func stalledOwner(in cluster: TestCluster) async throws -> StalledPeer {
        let keys = try CurveKeyPair()
        let stalled = try await StalledPeer(keys: keys)
        let record = NodeRecord(
            id: NodeID(rawValue: "stalled"), incarnation: Incarnation(rawValue: 5), endpoint: stalled.endpoint,
            curveKeys: [keys.publicKey])
        try cluster.store.register(record)
        _ = cluster.store.claim(
            ShardClaim(
                [ShardID(rawValue: 0)],
                for: ShardRecord.Owner(node: record.id, incarnation: record.incarnation)))
        await cluster.refresh()
        return stalled
    }

    /// What became of so many calls at once; nil for one that was answered.
    private func call(_ worker: Worker, _ count: Int) async -> [ClusterError.Code?] {
        let bytes = Bytes([UInt8](repeating: 1, count: Self.size))
        return await withTaskGroup(of: ClusterError.Code?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        _ = try await worker.echo(bytes)
                        return nil
                    } catch {
                        return (error as? ClusterError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func aPeerThatReadsNothingCostsABoundedAmount() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") { configuration in
                configuration.callBytes = 4 << 20
                configuration.callTimeout = .seconds(10)
            }
            let stalled = try await self.stalledOwner(in: cluster)
            // when: 100 MB of calls
            let codes = await self.call(try caller.worker(0), 1_600)
            // then: 64 of them are 4 MB; those above were told at once, and the others at their deadline
            #expect(codes.count { $0 == .deadlineExceeded } <= 64)
            #expect(codes.count { $0 == .overloaded } >= 1_600 - 64)
            #expect(!codes.contains(nil))
            withExtendedLifetime(stalled) {}
        }
    }

    /// It is in frames and in libzmq, while its callers wait no more.
    @Test func whatExpiredCountsForAsLongAsItIsHeld() async throws {
        try await TestCluster.run { cluster in
            // given: a connection, without which nothing would be held
            let limit = 4 << 20
            let caller = try await cluster.start("caller") { configuration in
                configuration.callBytes = limit
                configuration.callTimeout = .milliseconds(250)
            }
            let stalled = try await self.stalledOwner(in: cluster)
            let worker = try caller.worker(0)
            while caller.node.connections[NodeID(rawValue: "stalled")] != true {
                try Task.checkCancellation()
                _ = try? await worker.echo(Bytes([]))
            }
            // when: 80 MB of calls, never more than 4 MB at a time
            var codes: [ClusterError.Code?] = []
            for _ in 0..<20 { codes += await self.call(worker, 64) }
            // then
            #expect(codes.allSatisfy { $0 == .deadlineExceeded || $0 == .overloaded })
            #expect(codes.count { $0 == .deadlineExceeded } <= (limit + Self.belowQueues) / Self.size)
            withExtendedLifetime(stalled) {}
        }
    }

    /// Once there is nothing that could be done, it waits without turning in circles, which would be thousands of turns a
    /// second.
    private func comesToRest(_ node: TestNode) async throws {
        var turnsPerSecond = Double.infinity
        while turnsPerSecond > 100 {
            let start = ContinuousClock.now
            let turns = node.node.reactorTurns
            try await Task.sleep(for: .milliseconds(500))
            turnsPerSecond = Double(node.node.reactorTurns - turns) / ((.now - start) / .seconds(1))
        }
    }

    /// Its answers are not read until there are more than may wait; then they are, which blocks.
    @Test(.onOwnThreads) func aPeerThatReadsLateHearsOfEachCall() async throws {
        try await TestCluster.run { cluster in
            // given: calls that have all begun, whose answers are more than may wait and sockets take
            let limit = 16 << 20
            let owner = try await cluster.start("owner", owning: [0]) { $0.callBytes = limit }
            let other = try await cluster.start("other")
            let (record, keys) = try await cluster.list("slow")
            let slow = try await SlowReader(to: owner, keys: keys)
            let count = 1_200
            let batch = CommandBatch([[]]).wireBytes()
            for id in 1...UInt64(count) {
                try slow.send(
                    Frame.call(
                        from: record, to: owner, id: id, target: Contract.Number.submitSlowly, arguments: [batch]))
            }
            try await owner.journal.reach(count)
            // when: what sockets take is there before the second half, so that all of that waits
            let answer = [UInt8](repeating: 7, count: Self.size)
            for half in [owner.journal.kept.prefix(count / 2), owner.journal.kept.suffix(count / 2)] {
                for outcomes in half { outcomes.put(answer, at: 0) }
                try await self.comesToRest(owner)
            }
            // and one call more, which has been seen once what comes after it has
            let late = UInt64(count + 1)
            try slow.send(Frame.call(from: record, to: owner, id: late))
            try slow.send(Frame.call(from: record, to: owner, id: late))
            while cluster.log.count(of: "a call that came before") == 0 { try await Task.sleep(for: .milliseconds(5)) }
            _ = try await other.worker(0).echo(Bytes([1]))
            // then
            let replies = try slow.read(count + 1)
            #expect(Set(replies.map(\.id)) == Set(1...late))
            #expect(replies.count == count + 1)
            let answered = replies.count { reply in
                if case .value(let value) = reply.outcome { value.count >= Self.size } else { false }
            }
            var codes = replies.reduce(into: [UInt64: RemoteFailure.Code]()) { codes, reply in
                if case .failure(let failure) = reply.outcome { codes[reply.id] = failure.code }
            }
            // The last was not run; others were, and their answers had no room.
            #expect(codes.removeValue(forKey: late) == .overloaded)
            #expect(codes.values.allSatisfy { $0 == .thrown })
            #expect(answered + codes.count == count)
            #expect(answered >= limit / Self.size)
            #expect(answered <= (limit + Self.belowQueues) / Self.size)
        }
    }

    @Test func anOwnerThatHasTooManyBytesToWorkOnSaysSo() async throws {
        try await TestCluster.run { cluster in
            // given: what is answered makes room; then most of it is taken, for as long as that call runs
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0]) { $0.callBytes = 1 << 20 }
            let worker = try caller.worker(0)
            for _ in 0..<12 { _ = try await worker.echo(Bytes([UInt8](repeating: 1, count: 100 << 10))) }
            let batch = CommandBatch([[UInt8](repeating: 1, count: 800 << 10)])
            let running = Task { try await worker.submitSlowly(batch).all() }
            try await owner.journal.reach(13)
            // when
            let error = await #expect(throws: ClusterError.self) {
                _ = try await worker.echo(Bytes([UInt8](repeating: 1, count: 300 << 10)))
            }
            let small = try await worker.echo(Bytes([2]))
            // then
            #expect(error?.code == .overloaded)
            #expect(small == Bytes([2]))
            owner.journal.kept[0].put([5], at: 0)
            #expect(try await running.value == [[5]])
        }
    }
}
