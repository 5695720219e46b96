import Clustering
import EventLog
import PerennialTestSupport
import ServiceContextModule
import Synchronization
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(10))) struct RemoteCallTests {
    @Test func twoNodesCallEachOther() async throws {
        try await TestCluster.run { cluster in
            // given
            let first = try await cluster.start("first", owning: [0, 1])
            let second = try await cluster.start("second", owning: [2, 3])
            // when, then
            for shard in 0..<4 as Range<UInt16> {
                for node in [first, second] {
                    #expect(try await node.worker(shard).echo(Bytes([UInt8(shard)])) == Bytes([UInt8(shard)]))
                    try await node.worker(shard).nothing()
                }
            }
            #expect(first.node.owner(of: ShardID(rawValue: 3)) == second.configuration.node)
            #expect(first.journal.entries.count == 8 && second.journal.entries.count == 8)
        }
    }

    @Test func threeNodesCallEachOtherAllAtOnce() async throws {
        try await TestCluster.run { cluster in
            // given
            var nodes: [TestNode] = []
            for number in 0..<3 as Range<UInt16> {
                nodes.append(
                    try await cluster.start("node \(number)", owning: (0..<5).map { number * 5 + $0 }))
            }
            // when
            try await withThrowingTaskGroup(of: Void.self) { group in
                for node in nodes {
                    for number in 0..<600 {
                        group.addTask {
                            let bytes = Bytes([UInt8(number & 0xFF), UInt8(number >> 8)])
                            let answer = try await node.worker(UInt16(number % 15)).echo(bytes)
                            #expect(answer == bytes)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // then
            #expect(nodes.map(\.journal.entries.count) == [600, 600, 600])
        }
    }

    @Test func orderedCallsOfOneCallerRunInOrder() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            // when: each is made before the one before it has its answer
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5_000 {
                    let item = [UInt8(number & 0xFF), UInt8(number >> 8)]
                    group.addImmediateTask {
                        let outcomes = try await worker.submit(CommandBatch([item])).all()
                        #expect(outcomes == [item])
                    }
                }
                try await group.waitForAll()
            }
            // then
            #expect(owner.journal.entries.map { Int($0[0]) | Int($0[1]) << 8 } == Array(0..<5_000))
        }
    }

    @Test func tenThousandCallsAtOnceAreAnswered() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: Array(0..<16))
            // when
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10_000 {
                    group.addTask {
                        let worker = try caller.worker(UInt16(number % 16))
                        let item = [UInt8(number & 0xFF), UInt8(number >> 8)]
                        if number.isMultiple(of: 2) {
                            let outcomes = try await worker.submitSlowly(CommandBatch([item])).all()
                            #expect(outcomes == [[]])
                        } else {
                            let answer = try await worker.echo(Bytes(item))
                            #expect(answer == Bytes(item))
                        }
                    }
                }
                // then: half of them wait there at the same time
                try await owner.journal.reach(10_000)
                #expect(owner.journal.kept.count == 5_000)
                group.addTask { for outcomes in owner.journal.kept { outcomes.put([], at: 0) } }
                try await group.waitForAll()
            }
        }
    }

    @Test func errorsCross() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            // when, then
            await #expect(throws: KnownError(9)) { try await worker.fail(Bytes([9])) }
            let unknown = await #expect(throws: ClusterError.self) { try await worker.fail(Bytes([])) }
            #expect(unknown?.code == .failed && unknown?.message == "UnknownError")
            let forbidden = await #expect(throws: ClusterError.self) { try await worker.forbidden() }
            #expect(forbidden?.code == .unknownTarget)
            #expect(try await worker.echo(Bytes([1])) == Bytes([1]))
            withExtendedLifetime(owner) {}
        }
    }

    @Test func aCallThatNobodyAnswersEndsAtItsDeadline() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            var patience = Duration.milliseconds(100)
            // A machine that does other things may not even have begun with it by then.
            while owner.journal.entries.isEmpty {
                patience *= 2
                // when
                let deadline = ContinuousClock.now + patience
                let error = await #expect(throws: ClusterError.self) {
                    try await ClusterSystem.$deadline.withValue(deadline) { try await worker.wait() }
                }
                // then
                #expect(error?.code == .deadlineExceeded)
                #expect(ContinuousClock.now >= deadline)
            }
            // then: it is cancelled there, and so is an earlier call that began too late to be seen
            while true {
                let entries = owner.journal.entries
                if entries.count(where: { $0 == [1] }) == entries.count(where: { $0 == [2] }) { break }
                try await owner.journal.reach(entries.count + 1)
            }
            let over = await #expect(throws: ClusterError.self) {
                try await ClusterSystem.$deadline.withValue(.now) { _ = try await worker.echo(Bytes([3])) }
            }
            #expect(over?.code == .deadlineExceeded)
            #expect(!owner.journal.entries.contains([3]))
        }
    }

    @Test func cancellationCrosses() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            let call = Task { try await worker.wait() }
            try await owner.journal.reach(1)
            // when
            call.cancel()
            // then
            let error = await #expect(throws: ClusterError.self) { try await call.value }
            #expect(error?.code == .cancelled)
            try await owner.journal.reach(2)
        }
    }

    /// Whenever it comes, before, while or after the call is made.
    @Test func cancellationAtAnyMomentIsHeardOnce() async throws {
        try await TestCluster.run { cluster in
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            for round in 0..<2_000 {
                // given
                let call = Task { try await worker.echo(Bytes([1])) }
                // when
                for _ in 0..<(round % 40) { await Task.yield() }
                call.cancel()
                // then
                switch await call.result {
                case .success(let bytes): #expect(bytes == Bytes([1]))
                case .failure(let error): #expect((error as? ClusterError)?.code == .cancelled)
                }
            }
            #expect(try await worker.echo(Bytes([2])) == Bytes([2]))
            withExtendedLifetime(owner) {}
        }
    }

    @Test func anOrderedCallIsNotCancelled() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            let call = Task { try await worker.submitSlowly(CommandBatch([[1]])).all() }
            try await owner.journal.reach(1)
            // when
            call.cancel()
            owner.journal.kept[0].put([5], at: 0)
            // then
            #expect(try await call.value == [[5]])
        }
    }

    @Test func aCallThatIsTooLargeIsRefusedAndSoIsAnAnswer() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") { $0.largestMessage = 1 << 20 }
            let owner = try await cluster.start("owner", owning: [0]) { $0.largestMessage = 1 << 20 }
            let worker = try caller.worker(0)
            // when, then
            let error = await #expect(throws: ClusterError.self) {
                _ = try await worker.echo(Bytes([UInt8](repeating: 0, count: 600_000)))
            }
            #expect(error?.code == .tooLarge)
            let answer = await #expect(throws: ClusterError.self) {
                _ = try await worker.produce(Bytes([16, 0, 0]))
            }
            #expect(answer?.code == .failed)
            // The connection is as it was.
            let large = Bytes([UInt8](repeating: 3, count: 500_000))
            #expect(try await worker.echo(large) == large)
            withExtendedLifetime(owner) {}
        }
    }

    @Test func tooManyCallsAreRefusedAtOnce() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") { $0.callLimit = 10 }
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            let waiting = (0..<10).map { _ in Task { try await worker.wait() } }
            try await owner.journal.reach(10)
            // when
            let error = await #expect(throws: ClusterError.self) { _ = try await worker.echo(Bytes([])) }
            // then
            #expect(error?.code == .overloaded)
            for call in waiting { call.cancel() }
            for call in waiting { _ = await call.result }
            #expect(try await worker.echo(Bytes([])) == Bytes([]))
        }
    }

    @Test func anOwnerThatHasTooMuchToDoSaysSo() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0]) { $0.callLimit = 10 }
            let worker = try caller.worker(0)
            let waiting = (0..<10).map { _ in Task { try await worker.wait() } }
            try await owner.journal.reach(10)
            // when
            let error = await #expect(throws: ClusterError.self) { _ = try await worker.echo(Bytes([])) }
            // then
            #expect(error?.code == .overloaded)
            for call in waiting { call.cancel() }
            for call in waiting { _ = await call.result }
        }
    }

    @Test func aTraceCrosses() async throws {
        try await TestCluster.run { cluster in
            // given
            TestInstrument.install()
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: [0])
            let worker = try caller.worker(0)
            var context = ServiceContext.topLevel
            context[TraceKey.self] = "abc"
            // when, then
            let trace = try await ServiceContext.withValue(context) { try await worker.trace() }
            #expect(trace == Bytes(Array("abc".utf8)))
            #expect(try await worker.trace() == Bytes(Array("none".utf8)))
            withExtendedLifetime(owner) {}
        }
    }

    @Test func aShardThatMovesIsFollowed() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let first = try await cluster.start("first", owning: [0])
            let second = try await cluster.start("second")
            let worker = try caller.worker(0)
            _ = try await worker.echo(Bytes([1]))
            // when: the caller has not heard of it
            first.system.serve(ShardID(rawValue: 0), under: nil)
            second.own([0], in: cluster)
            // then
            _ = try await worker.echo(Bytes([2]))
            #expect(second.journal.entries == [[2]])
        }
    }

    @Test func aShardThatNobodyServesIsNotFoundByTheDeadline() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller", owning: [1])
            for shard in [0, 1] as [UInt16] {
                caller.system.serve(ShardID(rawValue: shard), under: nil)
                let worker = try Worker.resolve(
                    id: ShardActorID(shard: ShardID(rawValue: 0)), using: caller.system)
                // when
                let error = await #expect(throws: ClusterError.self) {
                    try await ClusterSystem.$deadline.withValue(.now + .milliseconds(200)) {
                        try await worker.nothing()
                    }
                }
                // then
                #expect(error?.code == .notOwner)
            }
        }
    }

    @Test func aBatchWhoseLeaderGivesUpIsSentAllTheSame() async throws {
        try await TestCluster.run { cluster in
            // given: nobody serves the shard yet, so the leader waits
            let caller = try await cluster.start("caller")
            let worker = try caller.worker(0)
            // However busy the machine is: the call does not end before two wait for it.
            let areWaiting = Flag()
            let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 8) { commands in
                while !areWaiting.isRaised { await Task.yield() }
                return try await worker.submit(commands).all()
            }
            let blocker = Task { try await batcher.submit([0]) }
            let leader = Task { try await batcher.submit([1]) }
            let other = Task { try await batcher.submit([2]) }
            while batcher.waitingCount < 2, !Task.isCancelled { await Task.yield() }
            areWaiting.raise()
            // when
            blocker.cancel()
            leader.cancel()
            let owner = try await cluster.start("owner", owning: [0])
            // then
            #expect(try await blocker.value == [0])
            #expect(try await other.value == [2])
            #expect(try await leader.value == [1])
            withExtendedLifetime(owner) {}
        }
    }
}
