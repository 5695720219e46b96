import DequeModule
package import Ownership
package import Subscriptions

/// Bytes under names, packed: one hash table of words, and the records one after the other in slabs. Bounded by count;
/// what has not been asked for since the hand last came by makes room first (second chance). Nothing is allocated by a
/// look-up, and a record costs its own bytes and about a dozen for the table.
package struct RecordTable {
    /// An id of one kind.
    package struct Name: Hashable, Sendable {
        package var digest: IDDigest
        package var kind: StreamKind

        package init(digest: IDDigest, kind: StreamKind) {
            self.digest = digest
            self.kind = kind
        }
    }

    /// A record is its length (2 bytes), its flags, the digest (16 bytes) and its content.
    private typealias Slab = [UInt8]

    private enum Flag {
        static let live: UInt8 = 1
        /// Asked for since the hand last came by.
        static let recent: UInt8 = 2
        static let kindShift: UInt8 = 4
    }

    private static let headBytes = 19
    private static let slabBytes = 1 << 14
    /// A length has 16 bits.
    private static let maximumContentBytes = 64_000
    /// Of a slot, where the record is: a set bit, the number of the slab, the offset in it.
    private static let offsetBits: UInt64 = 14
    private static let numberMask: UInt64 = 1 << 17 - 1
    private static let presentBit: UInt64 = 1 << 31

    private let limit: Int
    package private(set) var count = 0
    /// Open addressing, linear probing. The upper half of a slot are hash bits, the lower half is a place; 0 is empty.
    private var slots: [UInt64] = []
    /// Oldest first. The hand works off the first slab; what stays moves to the end of the last.
    private var slabs: Deque<Slab> = []
    /// Of the first slab.
    private var firstNumber: UInt64 = 0
    /// In the first slab.
    private var hand = 0
    private var liveBytes = 0

    /// What the records and their holes take, without the table.
    package var slabBytes: Int { self.slabs.reduce(0) { $0 + $1.count } }

    /// - Parameter limit: of records.
    package init(limit: Int) { self.limit = max(1, limit) }

    // MARK: Reading

    package func contains(_ name: Name) -> Bool { self.slot(of: name) != nil }

    /// The content of a record, for as long as `body` runs, which counts as asking for it. nil when there is none.
    package mutating func withContent<Result>(of name: Name, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard let slot = self.slot(of: name) else { return nil }
        let (index, offset) = self.place(self.slots[slot])
        if self.slabs[index][offset + 2] & Flag.recent == 0 { self.slabs[index][offset + 2] |= Flag.recent }
        return self.slabs[index].withUnsafeBytes { slab in
            let length = Int(slab.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            return body(UnsafeRawBufferPointer(rebasing: slab[(offset + Self.headBytes)..<(offset + length)]))
        }
    }

    // MARK: Writing

    /// Puts `content` under `name`, in place of what was there; makes room where the limit is reached. More than 64,000
    /// bytes are not kept.
    package mutating func set(_ content: [UInt8], under name: Name) {
        guard content.count <= Self.maximumContentBytes else { return self.remove(name) }
        let flags = Flag.live | Flag.recent | name.kind.rawValue << Flag.kindShift
        if let slot = self.slot(of: name) {
            let (index, offset) = self.place(self.slots[slot])
            if self.length(index, offset) == Self.headBytes + content.count {
                let start = offset + Self.headBytes
                return self.slabs[index].replaceSubrange(start..<(start + content.count), with: content)
            }
            self.bury(index, offset)
            self.slots[slot] = Self.hashBits(name) | self.append(content, flags: flags, name.digest)
            return self.tidy()
        }
        while self.count >= self.limit { self.evict() }
        if (self.count + 1) * 4 > self.slots.count * 3 { self.grow() }
        let place = self.append(content, flags: flags, name.digest)
        self.insert(Self.hashBits(name) | place)
        self.count += 1
        self.tidy()
    }

    package mutating func remove(_ name: Name) {
        guard let slot = self.slot(of: name) else { return }
        let (index, offset) = self.place(self.slots[slot])
        self.bury(index, offset)
        self.empty(slot)
    }

    package mutating func removeAll() { self = RecordTable(limit: self.limit) }

    // MARK: Slots

    private static func hashBits(_ name: Name) -> UInt64 {
        // The top bits of `high` are those of the shard: the same in a whole table.
        (name.digest.low &+ UInt64(name.kind.rawValue)) << 32
    }

    private func home(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot >> 32) & (self.slots.count - 1) }

    private func slot(of name: Name) -> Int? {
        guard self.count > 0 else { return nil }
        let bits = Self.hashBits(name)
        var index = self.home(bits)
        while self.slots[index] != 0 {
            if (self.slots[index] ^ bits) >> 32 == 0, self.isRecord(at: self.slots[index], of: name) { return index }
            index = (index + 1) & (self.slots.count - 1)
        }
        return nil
    }

    private func isRecord(at slot: UInt64, of name: Name) -> Bool {
        let (index, offset) = self.place(slot)
        return self.slabs[index].withUnsafeBytes { slab in
            slab[offset + 2] >> Flag.kindShift == name.kind.rawValue
                && slab.loadUnaligned(fromByteOffset: offset + 3, as: UInt64.self) == name.digest.high
                && slab.loadUnaligned(fromByteOffset: offset + 11, as: UInt64.self) == name.digest.low
        }
    }

    private mutating func insert(_ slot: UInt64) {
        var index = self.home(slot)
        while self.slots[index] != 0 { index = (index + 1) & (self.slots.count - 1) }
        self.slots[index] = slot
    }

    /// Closes the gap, so that no probe ends too early.
    private mutating func empty(_ slot: Int) {
        let mask = self.slots.count - 1
        var gap = slot
        var index = slot
        while true {
            index = (index + 1) & mask
            guard self.slots[index] != 0 else { break }
            let distance = (index - self.home(self.slots[index])) & mask
            if distance >= (index - gap) & mask {
                self.slots[gap] = self.slots[index]
                gap = index
            }
        }
        self.slots[gap] = 0
        self.count -= 1
    }

    private mutating func grow() {
        let old = self.slots
        self.slots = Array(repeating: 0, count: max(8, old.count * 2))
        for slot in old where slot != 0 { self.insert(slot) }
    }

    // MARK: Slabs

    private func place(_ slot: UInt64) -> (index: Int, offset: Int) {
        let number = slot >> Self.offsetBits & Self.numberMask
        return (
            Int((number &- self.firstNumber) & Self.numberMask), Int(slot & (1 << Self.offsetBits - 1))
        )
    }

    private func length(_ index: Int, _ offset: Int) -> Int {
        self.slabs[index].withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) }
    }

    private func name(_ index: Int, _ offset: Int) -> Name {
        self.slabs[index].withUnsafeBytes { slab in
            guard let kind = StreamKind(rawValue: slab[offset + 2] >> Flag.kindShift) else {
                preconditionFailure("a record has the kind it was written with")
            }
            return Name(
                digest: IDDigest(
                    high: slab.loadUnaligned(fromByteOffset: offset + 3, as: UInt64.self),
                    low: slab.loadUnaligned(fromByteOffset: offset + 11, as: UInt64.self)),
                kind: kind)
        }
    }

    /// - Returns: the lower half of a slot.
    private mutating func append(_ content: [UInt8], flags: UInt8, _ digest: IDDigest) -> UInt64 {
        let length = Self.headBytes + content.count
        if self.slabs.isEmpty || self.slabs[self.slabs.count - 1].count + length > Self.slabBytes {
            var slab = Slab()
            slab.reserveCapacity(max(length, self.slabs.isEmpty ? 0 : Self.slabBytes))
            self.slabs.append(slab)
        }
        let index = self.slabs.count - 1
        let offset = self.slabs[index].count
        withUnsafeBytes(of: UInt16(length)) { self.slabs[index].append(contentsOf: $0) }
        self.slabs[index].append(flags)
        withUnsafeBytes(of: digest.high) { self.slabs[index].append(contentsOf: $0) }
        withUnsafeBytes(of: digest.low) { self.slabs[index].append(contentsOf: $0) }
        self.slabs[index].append(contentsOf: content)
        self.liveBytes += length
        let number = (self.firstNumber &+ UInt64(index)) & Self.numberMask
        return Self.presentBit | number << Self.offsetBits | UInt64(offset)
    }

    private mutating func bury(_ index: Int, _ offset: Int) {
        self.slabs[index][offset + 2] &= ~Flag.live
        self.liveBytes -= self.length(index, offset)
    }

    // MARK: The hand

    private mutating func evict() {
        let before = self.count
        while self.count == before { self.step(keepsAll: false) }
    }

    /// Replaced records leave holes: once these are more than what lives, the oldest slab is worked off.
    private mutating func tidy() {
        guard self.slabs.count > 3, (self.slabs.count - 2) * Self.slabBytes > 2 * self.liveBytes else { return }
        let number = self.firstNumber
        while self.firstNumber == number { self.step(keepsAll: true) }
    }

    /// Looks at one record, the oldest: it moves to the end, or goes.
    private mutating func step(keepsAll: Bool) {
        guard self.hand < self.slabs[0].count else {
            self.slabs.removeFirst()
            self.firstNumber = (self.firstNumber &+ 1) & Self.numberMask
            self.hand = 0
            return
        }
        let offset = self.hand
        let length = self.length(0, offset)
        self.hand += length
        let flags = self.slabs[0][offset + 2]
        guard flags & Flag.live != 0 else { return }
        let name = self.name(0, offset)
        guard let slot = self.slot(of: name) else { preconditionFailure("a live record has its slot") }
        self.bury(0, offset)
        guard keepsAll || flags & Flag.recent != 0 else { return self.empty(slot) }
        let content = Array(self.slabs[0][(offset + Self.headBytes)..<(offset + length)])
        let place = self.append(content, flags: keepsAll ? flags : flags & ~Flag.recent, name.digest)
        self.slots[slot] = Self.hashBits(name) | place
    }
}
