/// The full states of a shard's most recently used streams, as committed: entries can be dropped at any time.
struct StateCache: Sendable {
    private struct Slot {
        var entry: StreamEntry
        var lastUse: UInt64
    }

    private let limit: Int
    private var slots: [[UInt8]: Slot] = [:]
    private var clock: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    mutating func entry(of key: [UInt8]) -> StreamEntry? {
        self.clock += 1
        guard self.slots[key] != nil else { return nil }
        self.slots[key]?.lastUse = self.clock
        return self.slots[key]?.entry
    }

    mutating func keep(_ entry: StreamEntry, of key: [UInt8]) {
        self.clock += 1
        self.slots[key] = Slot(entry: entry, lastUse: self.clock)
        // A quarter above the bound, then down to it: the sweep costs little for each entry.
        if self.slots.count > self.limit + self.limit / 4 { self.sweep() }
    }

    mutating func removeAll() { self.slots = [:] }

    private mutating func sweep() {
        let oldest = self.slots.values.map(\.lastUse).sorted()[self.slots.count - self.limit]
        self.slots = self.slots.filter { $0.value.lastUse >= oldest }
    }
}
