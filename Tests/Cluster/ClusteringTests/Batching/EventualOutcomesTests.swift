import Clustering
import Synchronization
import Testing
import WireProtocol

@Suite struct EventualOutcomesTests {
    @Test func isCompleteOnceAllAreThere() async {
        // given
        let outcomes = EventualOutcomes(count: 3)
        let calls = Mutex(0)
        outcomes.whenComplete { _ in calls.withLock { $0 += 1 } }
        // when
        outcomes.put([2], at: 2)
        outcomes.put([0], at: 0)
        #expect(calls.withLock { $0 } == 0)
        outcomes.put([1], at: 1)
        // then
        #expect(calls.withLock { $0 } == 1)
        outcomes.whenComplete { _ in calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
        #expect(await outcomes.all() == [[0], [1], [2]])
    }

    @Test func crosses() async throws {
        // given
        let outcomes = EventualOutcomes(count: 2)
        outcomes.put([], at: 1)
        outcomes.put([9, 9], at: 0)
        // when
        let copy = try EventualOutcomes(wireBytes: outcomes.wireBytes())
        // then
        #expect(await copy.all() == [[9, 9], []])
    }

    @Test func noneAreCompleteFromTheStart() async {
        #expect(await EventualOutcomes(count: 0).all() == [])
    }

    @Test func tellsWhoeverWaitsFromAnyThread() async {
        for _ in 0..<200 {
            // given
            let outcomes = EventualOutcomes(count: 8)
            // when
            let seen = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { await outcomes.all().count } }
                for place in 0..<8 {
                    group.addTask {
                        outcomes.put([UInt8(place)], at: place)
                        return 0
                    }
                }
                return await group.reduce(0, +)
            }
            // then
            #expect(seen == 32)
        }
    }
}
