/// Lists of numbers by 64-bit hash: a table of the newest number of each, with open addressing, and links from each number to the
/// one before it. Hashes whose upper halves are the same share a list, so whoever reads looks whether a number is meant. Adding
/// takes the same time however long a list is.
package struct NumberLists {
    package init() {}

    private struct Link {
        var number: UInt32
        /// The place of the next link plus one; 0 at the end.
        var next: UInt32
    }

    /// The upper half of a hash, and the place of the list's first link plus one; 0 for a slot that is free.
    private var slots = [UInt64](repeating: 0, count: 64)
    private var used = 0
    private var links: [Link] = []
    /// The first of the links that are free, chained like a list.
    private var free: UInt32 = 0

    private static func tag(_ hash: UInt64) -> UInt64 { hash >> 32 }

    /// Where the list is, or where it would begin.
    private func slot(of hash: UInt64) -> Int {
        let (tag, mask) = (Self.tag(hash), self.slots.count - 1)
        var place = Int(truncatingIfNeeded: tag) & mask
        while self.slots[place] != 0, self.slots[place] >> 32 != tag { place = (place + 1) & mask }
        return place
    }

    private func first(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: self.slots[self.slot(of: hash)]) }

    /// The numbers that may be of this hash, until `body` says false.
    package func forEach(_ hash: UInt64, _ body: (Int) -> Bool) {
        var place = self.first(hash)
        while place != 0 {
            let link = self.links[Int(place) - 1]
            guard body(Int(link.number)) else { return }
            place = link.next
        }
    }

    /// - Precondition: the number is not in the list.
    package mutating func insert(_ number: Int, _ hash: UInt64) {
        let slot = self.slot(of: hash)
        let isNew = self.slots[slot] == 0
        let link = Link(number: UInt32(number), next: UInt32(truncatingIfNeeded: self.slots[slot]))
        let place: UInt32
        if self.free == 0 {
            self.links.append(link)
            place = UInt32(self.links.count)
        } else {
            place = self.free
            self.free = self.links[Int(place) - 1].next
            self.links[Int(place) - 1] = link
        }
        self.slots[slot] = Self.tag(hash) << 32 | UInt64(place)
        guard isNew else { return }
        self.used += 1
        if self.used * 4 > self.slots.count * 3 { self.grow() }
    }

    /// What is not there stays away.
    package mutating func remove(_ number: Int, _ hash: UInt64) {
        let slot = self.slot(of: hash)
        var (place, before) = (UInt32(truncatingIfNeeded: self.slots[slot]), UInt32(0))
        while place != 0, self.links[Int(place) - 1].number != UInt32(number) {
            (before, place) = (place, self.links[Int(place) - 1].next)
        }
        guard place != 0 else { return }
        let next = self.links[Int(place) - 1].next
        if before != 0 {
            self.links[Int(before) - 1].next = next
        } else if next != 0 {
            self.slots[slot] = Self.tag(hash) << 32 | UInt64(next)
        } else {
            self.empty(slot)
        }
        self.links[Int(place) - 1].next = self.free
        self.free = place
    }

    /// What follows without a gap moves up, unless it would come before its own place.
    private mutating func empty(_ slot: Int) {
        let mask = self.slots.count - 1
        var (hole, place) = (slot, (slot + 1) & mask)
        self.used -= 1
        while self.slots[place] != 0 {
            let home = Int(truncatingIfNeeded: self.slots[place] >> 32) & mask
            if (place - home) & mask >= (place - hole) & mask {
                self.slots[hole] = self.slots[place]
                hole = place
            }
            place = (place + 1) & mask
        }
        self.slots[hole] = 0
    }

    private mutating func grow() {
        let old = self.slots
        self.slots = [UInt64](repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 { self.slots[self.slot(of: entry)] = entry }
    }

    /// All memory that it takes.
    package var bytes: Int { self.slots.capacity * 8 + self.links.capacity * 8 }
}
