import Clustering
import Synchronization
import Testing
import WireProtocol

@Suite struct CommandBatcherTests {
    /// Holds batches back until they are let go, and knows them all.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var batches: [[[UInt8]]] = []
            var held: [CheckedContinuation<Void, Never>] = []
            var largestInFlight = 0
            var inFlight = 0
        }

        private let state = Mutex(State())

        var batches: [[[UInt8]]] { self.state.withLock { $0.batches } }
        var largestInFlight: Int { self.state.withLock { $0.largestInFlight } }

        func pass(_ batch: CommandBatch) async -> [[UInt8]] {
            await withCheckedContinuation { waiter in
                let isOpen = self.state.withLock { state in
                    state.batches.append(batch.items)
                    state.inFlight += 1
                    state.largestInFlight = max(state.largestInFlight, state.inFlight)
                    if !state.isOpen { state.held.append(waiter) }
                    return state.isOpen
                }
                if isOpen { waiter.resume() }
            }
            self.state.withLock { $0.inFlight -= 1 }
            return batch.items.map { $0 + [0xFF] }
        }

        func open() {
            let held = self.state.withLock { state in
                state.isOpen = true
                defer { state.held = [] }
                return state.held
            }
            for waiter in held { waiter.resume() }
        }

        func holds(_ count: Int) async {
            while self.state.withLock({ $0.held.count }) < count { await Task.yield() }
        }
    }

    @Test func givesEachCommandItsOwnOutcome() async throws {
        // given
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 2, batchLimit: 16) { await gate.pass($0) }
        // when
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let command = [UInt8(number & 0xFF), UInt8(number >> 8)]
                    let outcome = try await batcher.submit(command)
                    #expect(outcome == command + [0xFF])
                }
            }
            await gate.holds(2)
            gate.open()
            try await group.waitForAll()
        }
        // then
        #expect(gate.batches.flatMap(\.self).count == 1_000)
        #expect(Set(gate.batches.flatMap(\.self)).count == 1_000)
        #expect(gate.batches.allSatisfy { (1...16).contains($0.count) })
        #expect(gate.largestInFlight == 2)
    }

    @Test func sendsOneBatchAtATimeWhileManyAreUnderWay() async throws {
        // given: another shard's batch is under way
        let gate = Gate()
        let traffic = BatchTraffic(busyFrom: 1)
        let other = CommandBatcher(batchesInFlight: 2, batchLimit: 8, traffic: traffic) { await gate.pass($0) }
        let batcher = CommandBatcher(batchesInFlight: 2, batchLimit: 8, traffic: traffic) { await gate.pass($0) }
        async let elsewhere = other.submit([0])
        await gate.holds(1)
        // when
        async let first = batcher.submit([1])
        await gate.holds(2)
        async let second = batcher.submit([2])
        async let third = batcher.submit([3])
        while batcher.waitingCount < 2 { await Task.yield() }
        gate.open()
        // then
        #expect(try await [elsewhere, first, second, third] == [[0, 0xFF], [1, 0xFF], [2, 0xFF], [3, 0xFF]])
        #expect(gate.batches.count == 3 && gate.batches.contains { Set($0) == [[2], [3]] })
    }

    @Test func everyoneIsAnsweredWhenManyBatchesTurnIntoFewAndBack() async throws {
        // given
        let traffic = BatchTraffic(busyFrom: 6)
        let batchers = (0..<8).map { _ in
            CommandBatcher(batchesInFlight: 2, batchLimit: 4, traffic: traffic) { batch in
                await Task.yield()
                return batch.items
            }
        }
        // when
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<64 {
                group.addTask {
                    for number in 0..<200 {
                        let command = [UInt8(caller), UInt8(number)]
                        let outcome = try await batchers[(caller + number) % 8].submit(command)
                        #expect(outcome == command)
                    }
                }
            }
            try await group.waitForAll()
        }
        // then
        #expect(batchers.allSatisfy { $0.waitingCount == 0 })
    }

    @Test func sendsWhatGatheredInTheOrderInWhichItCame() async throws {
        // given: a batch is under way, and others come one after the other
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 4) { await gate.pass($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await batcher.submit([0]) }
            await gate.holds(1)
            for number in 1...9 as ClosedRange<UInt8> {
                group.addTask { _ = try await batcher.submit([number]) }
                while batcher.waitingCount < Int(number) { await Task.yield() }
            }
            // when
            gate.open()
            try await group.waitForAll()
        }
        // then
        #expect(gate.batches == [[[0]], [[1], [2], [3], [4]], [[5], [6], [7], [8]], [[9]]])
    }

    @Test func keepsABatchBelowTheSizeOfAMessage() async throws {
        // given
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 100, byteLimit: 10) { await gate.pass($0) }
        let sizes = [1, 4, 6, 1, 50, 9, 2]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, size) in sizes.enumerated() {
                group.addTask { _ = try await batcher.submit([UInt8](repeating: 0, count: size)) }
                if place == 0 {
                    await gate.holds(1)
                } else {
                    while batcher.waitingCount < place { await Task.yield() }
                }
            }
            // when
            gate.open()
            try await group.waitForAll()
        }
        // then: none above 10 bytes but the command that is larger by itself
        #expect(gate.batches.map { $0.map(\.count) } == [[1], [4, 6], [1], [50], [9], [2]])
    }

    @Test func aBatchThatFailsFailsItsCommandsAlone() async throws {
        // given
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 3) { batch in
            let outcomes = await gate.pass(batch)
            if batch.items.contains([4]) { throw KnownError(4) }
            return outcomes
        }
        // when
        let failed = await withTaskGroup(of: UInt8?.self) { group in
            for number in 0...9 as ClosedRange<UInt8> {
                group.addTask {
                    do {
                        #expect(try await batcher.submit([number]) == [number, 0xFF])
                        return nil
                    } catch {
                        #expect(error as? KnownError == KnownError(4))
                        return number
                    }
                }
                if number == 0 {
                    await gate.holds(1)
                } else {
                    while batcher.waitingCount < Int(number) { await Task.yield() }
                }
            }
            gate.open()
            return await group.reduce(into: Set<UInt8>()) { if let number = $1 { $0.insert(number) } }
        }
        // then
        #expect(failed == [4, 5, 6])
    }

    @Test func refusesOutcomesThatDoNotFit() async {
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 3) { _ in [] }
        let error = await #expect(throws: ClusterError.self) { try await batcher.submit([1]) }
        #expect(error?.code == .malformed)
    }

    @Test func whoeverGivesUpTakesNobodyWithHim() async throws {
        // given: the first of a batch is cancelled before the batch is sent
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 8) { await gate.pass($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await batcher.submit([0]) }
            await gate.holds(1)
            let leader = Task { try await batcher.submit([1]) }
            while batcher.waitingCount < 1 { await Task.yield() }
            for number in 2...5 as ClosedRange<UInt8> {
                group.addTask {
                    let outcome = try await batcher.submit([number])
                    #expect(outcome == [number, 0xFF])
                }
            }
            while batcher.waitingCount < 5 { await Task.yield() }
            // when
            leader.cancel()
            gate.open()
            // then
            _ = await leader.result
            try await group.waitForAll()
        }
    }

    @Test func moreThanMayWaitAreRefused() async throws {
        // given: one batch under way, and two commands that wait
        let gate = Gate()
        let batcher = CommandBatcher(batchesInFlight: 1, batchLimit: 8, waitingLimit: 2) { await gate.pass($0) }
        let first = Task { try await batcher.submit([1]) }
        while gate.batches.isEmpty { await Task.yield() }
        let waiting = [2, 3].map { number in Task { try await batcher.submit([number]) } }
        while batcher.waitingCount < 2 { await Task.yield() }
        // when
        let error = await #expect(throws: ClusterError.self) { try await batcher.submit([4]) }
        // then
        #expect(error?.code == .overloaded)
        gate.open()
        #expect(try await first.value == [1, 0xFF])
        for task in waiting { _ = try await task.value }
    }

    @Test func moreBytesThanMayWaitForAllShardsAreRefused() async throws {
        let traffic = BatchTraffic(busyFrom: .max, byteLimit: 10)
        // What has left makes room, be it at the head of a batch or in it: the second round is as the first.
        for _ in 0..<2 {
            // given: two shards with a batch under way each, and commands of 10 bytes that wait
            let gate = Gate()
            let batchers = (0..<2).map { _ in
                CommandBatcher(batchesInFlight: 1, batchLimit: 8, traffic: traffic) { await gate.pass($0) }
            }
            let under = batchers.map { batcher in Task { try await batcher.submit([0]) } }
            await gate.holds(2)
            var waiting: [Task<[UInt8], any Error>] = []
            for (shard, size, count) in [(0, 1, 1), (0, 8, 2), (1, 1, 1)] {
                let batcher = batchers[shard]
                waiting.append(Task { try await batcher.submit([UInt8](repeating: 1, count: size)) })
                while batcher.waitingCount < count { await Task.yield() }
            }
            for batcher in batchers {
                // when
                let error = await #expect(throws: ClusterError.self) { try await batcher.submit([2]) }
                // then
                #expect(error?.code == .overloaded)
            }
            gate.open()
            for task in under + waiting { _ = try await task.value }
        }
    }
}
