import Clustering
import Testing

@Suite struct DeadlineWheelTests {
    private let start = ContinuousClock.now

    @Test(arguments: 0..<64 as Range<UInt64>)
    func agreesWithAList(seed: UInt64) {
        // given
        var random = SeededRandom(seed: seed)
        var wheel = DeadlineWheel(start: self.start)
        var list: [UInt64: ContinuousClock.Instant] = [:]
        var now = self.start
        var lastID: UInt64 = 0
        // when
        for _ in 0..<2_000 {
            switch random.next(upperBound: 10 as UInt64) {
            case 0..<5:
                lastID += 1
                // Some are over already, some are further away than the wheel is long.
                let deadline = now + .milliseconds(Int(random.next(upperBound: 12_000 as UInt64)) - 100)
                wheel.insert(lastID, at: deadline)
                list[lastID] = deadline
            case 5..<8:
                guard let id = list.keys.randomElement(using: &random), let deadline = list[id], deadline > now else {
                    continue
                }
                wheel.remove(id, at: deadline)
                list[id] = nil
            default:
                let longest: UInt64 = random.next(upperBound: 20 as UInt64) == 0 ? 9_000_000 : 30_000
                now += .microseconds(Int(random.next(upperBound: longest)))
                let expired = wheel.advance(to: now)
                // then: none early, and none later than a tick
                #expect(expired.allSatisfy { list[$0].map { $0 <= now } ?? false })
                for id in expired { list[id] = nil }
                #expect(list.values.allSatisfy { $0 > now - DeadlineWheel.tick * 2 })
            }
            // then: whoever sleeps until `next` is not late
            #expect((wheel.next == nil) == list.isEmpty)
            if let next = wheel.next, let earliest = list.values.min() {
                #expect(next <= max(earliest, now) + DeadlineWheel.tick * 2)
            }
        }
        // then
        #expect(Set(wheel.advance(to: now + .seconds(60))) == Set(list.keys))
        #expect(wheel.next == nil)
    }

    @Test func takesADeadlineThatNobodyLivesToSee() {
        // given
        var wheel = DeadlineWheel(start: self.start)
        // when
        wheel.insert(1, at: self.start + .seconds(Int64.max / 2))
        // then
        #expect(wheel.advance(to: self.start + .seconds(1_000)).isEmpty)
        #expect(wheel.next != nil)
    }
}
