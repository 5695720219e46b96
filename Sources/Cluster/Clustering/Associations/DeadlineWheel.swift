/// Which of many calls are over their time: a hashed timing wheel (Varghese and Lauck, 1987). Putting in, taking out and
/// expiring cost the same, however many there are. A call expires up to one tick late, never early.
package struct DeadlineWheel {
    package static let tick = Duration.milliseconds(8)
    private static let slotCount = 512

    private let start: ContinuousClock.Instant
    /// By the tick of the deadline, modulo the count: ids with the tick itself.
    private var slots = [[UInt64: Int64]](repeating: [:], count: Self.slotCount)
    /// Everything up to this tick has expired.
    private var current: Int64 = 0
    private var count = 0
    /// Nothing is due before this tick.
    private var earliest = Int64.max

    package init(start: ContinuousClock.Instant = .now) { self.start = start }

    package mutating func insert(_ id: UInt64, at deadline: ContinuousClock.Instant) {
        let tick = max(self.tick(of: deadline), self.current + 1)
        self.earliest = self.count == 0 ? tick : min(self.earliest, tick)
        if self.slots[Self.slot(tick)].updateValue(tick, forKey: id) == nil { self.count += 1 }
    }

    /// - Parameter deadline: as it was put in. What was over its time even then stays for a tick.
    package mutating func remove(_ id: UInt64, at deadline: ContinuousClock.Instant) {
        if self.slots[Self.slot(self.tick(of: deadline))].removeValue(forKey: id) != nil { self.count -= 1 }
    }

    /// The ids whose time is over; they are taken out.
    package mutating func advance(to now: ContinuousClock.Instant) -> [UInt64] {
        let reached = Int64((now - self.start) / Self.tick)
        guard reached > self.current else { return [] }
        // One time around visits every slot.
        let first = max(self.current + 1, reached - Int64(Self.slotCount) + 1)
        self.current = reached
        guard self.count > 0 else { return [] }
        var expired: [UInt64] = []
        for slot in (first...reached).lazy.map(Self.slot) where !self.slots[slot].isEmpty {
            let due = self.slots[slot].filter { $0.value <= reached }.keys
            for id in due { self.slots[slot][id] = nil }
            expired += due
        }
        self.count -= expired.count
        if self.earliest <= reached { self.earliest = self.nextTick }
        return expired
    }

    /// The first that has ids; they may be due a whole time around later.
    private var nextTick: Int64 {
        let ticks = (self.current + 1)...(self.current + Int64(Self.slotCount))
        return ticks.first { !self.slots[Self.slot($0)].isEmpty } ?? .max
    }

    /// When to look again: not after the next deadline. nil when there is none.
    package var next: ContinuousClock.Instant? {
        self.count > 0 ? self.start + Self.tick * Double(self.earliest) : nil
    }

    /// Rounded up; a deadline beyond all years stays countable.
    private func tick(of deadline: ContinuousClock.Instant) -> Int64 {
        let ticks = (deadline - self.start) / Self.tick
        return Int64(min(ticks.rounded(.up), 0x1p60))
    }

    private static func slot(_ tick: Int64) -> Int { Int(tick & Int64(Self.slotCount - 1)) }
}
