import Clustering
import EventLog
import ServiceContextModule
import Synchronization
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(10))) struct InboxTests {
    private static let untraced = Array("none".utf8)

    @Test func takesTheBatchesOfItsShardInsteadOfTheActor() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0, 1])
            let inbox = Inbox()
            inbox.serve(0, of: owner)
            // when
            let outcomes = try await caller.worker(0).submit(CommandBatch([[1], [2]])).all()
            let others = try await caller.worker(1).submit(CommandBatch([[3]])).all()
            // then
            #expect(outcomes == [Self.untraced, Self.untraced] && inbox.journal.entries == [[1], [2]])
            #expect(others == [[3]] && owner.journal.entries == [[3]])
        }
    }

    private static func traced(_ trace: String) -> ServiceContext {
        TestInstrument.install()
        var context = ServiceContext.topLevel
        context[TraceKey.self] = trace
        return context
    }

    @Test func runsInTheTraceOfItsCaller() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let inbox = Inbox()
            inbox.serve(0, of: owner)
            let worker = try caller.worker(0)
            // when
            let traced = try await ServiceContext.withValue(Self.traced("abc")) {
                try await worker.submit(CommandBatch([[1], [2]])).all()
            }
            let after = try await worker.submit(CommandBatch([[3]])).all()
            // then
            #expect(traced == [Array("abc".utf8), Array("abc".utf8)])
            #expect(after == [Self.untraced])
            #expect(inbox.journal.entries == [[1], [2], [3]])
        }
    }

    @Test func aBatchIsInTheTraceOfWhoeverSendsIt() async throws {
        try await TestCluster.run { cluster in
            // given: a batch that its owner has not answered, and two commands that wait
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let inbox = Inbox()
            inbox.serve(0, of: owner)
            let worker = try caller.worker(0)
            let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 8) { batch in
                try await batch.items == [[0]] ? worker.submitSlowly(batch).all() : worker.submit(batch).all()
            }
            let first = Task { try await batcher.submit([0]) }
            try await owner.journal.reach(1)
            var waiting: [Task<[UInt8], any Error>] = []
            for (trace, count) in [("leader", 1), ("other", 2)] {
                waiting.append(
                    ServiceContext.withValue(Self.traced(trace)) {
                        Task { try await batcher.submit([UInt8(count)]) }
                    })
                while batcher.waitingCount < count { await Task.yield() }
            }
            // when
            owner.journal.kept[0].put([], at: 0)
            // then
            _ = try await first.value
            for task in waiting { #expect(try await task.value == Array("leader".utf8)) }
            #expect(inbox.journal.entries == [[1], [2]])
        }
    }

    @Test func isLeftAloneOnceTheShardIsServedWithoutIt() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let inbox = Inbox()
            inbox.serve(0, of: owner)
            // when
            owner.system.serve(ShardID(rawValue: 0), under: Epoch(rawValue: 1))
            let outcomes = try await caller.worker(0).submit(CommandBatch([[1]])).all()
            // then
            #expect(outcomes == [[1]] && inbox.journal.entries.isEmpty)
        }
    }

    @Test func waitsForOrderedCallsThatTheActorStillRuns() async throws {
        try await TestCluster.run { cluster in
            // given: the actor and the inbox write into the same journal
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            owner.system.serve(ShardID(rawValue: 0), under: Epoch(rawValue: 1)) { [journal = owner.journal] batch in
                for item in batch.items { journal.record(item) }
                return EventualOutcomes(complete: batch.items)
            }
            let worker = try caller.worker(0)
            // when: every third call is one for the actor
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...3_000 {
                    group.addImmediateTask {
                        guard number % 3 > 0 else { return try await worker.nothing() }
                        _ = try await worker.submit(CommandBatch([[UInt8(number & 0xFF), UInt8(number >> 8)]])).all()
                    }
                }
                try await group.waitForAll()
            }
            // then
            let numbers = owner.journal.entries.map { $0.isEmpty ? 0 : Int($0[0]) | Int($0[1]) << 8 }
            #expect(numbers == (1...3_000).map { $0 % 3 > 0 ? $0 : 0 })
        }
    }

    @Test func outcomesThatAreNeverThereAreLetGo() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let last = Mutex(Weak())
            owner.system.serve(ShardID(rawValue: 0), under: Epoch(rawValue: 1)) { _ in
                let outcomes = EventualOutcomes(count: 1)
                last.withLock { $0.outcomes = outcomes }
                return outcomes
            }
            let worker = try caller.worker(0)
            _ = try await worker.trace()
            // when: as often as it takes to get there in time
            var patience = Duration.milliseconds(500)
            repeat {
                let error = await #expect(throws: ClusterError.self) {
                    try await ClusterSystem.$deadline.withValue(.now + patience) {
                        _ = try await worker.submit(CommandBatch([[1]]))
                    }
                }
                #expect(error?.code == .deadlineExceeded)
                patience *= 2
            } while !last.withLock(\.wasThere)
            // then
            while last.withLock({ $0.outcomes != nil }) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private struct Weak {
        weak var outcomes: EventualOutcomes? { didSet { self.wasThere = true } }
        private(set) var wasThere = false
    }

    @Test func getsNothingThatIsRefused() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let inbox = Inbox()
            inbox.serve(0, of: owner)
            let record = try #require(await caller.node.registration())
            let raw = try await RawPeer(to: owner, keys: caller.configuration.keys)
            // when: a newer epoch, no batch, two of them, and bytes that are none
            let batch = CommandBatch([[1]]).wireBytes()
            let target = Contract.Number.submit
            let frames = [
                Frame.call(from: record, to: owner, id: 1, target: target, epoch: 2, arguments: [batch]),
                Frame.call(from: record, to: owner, id: 2, target: target, arguments: []),
                Frame.call(from: record, to: owner, id: 3, target: target, arguments: [batch, batch]),
                Frame.call(from: record, to: owner, id: 4, target: target, arguments: [[1, 2, 3]]),
            ]
            let answers = try await raw.send(frames.map { [$0.bytes] }, expecting: 4)
            // then
            let codes = answers.flatMap(\.replies).sorted { $0.id < $1.id }.map { reply in
                if case .failure(let failure) = reply.outcome { failure.code } else { nil as RemoteFailure.Code? }
            }
            #expect(codes == [.notOwner, .malformed, .malformed, .malformed])
            #expect(inbox.journal.entries.isEmpty && owner.journal.entries.isEmpty)
        }
    }
}
