import CPrefetch
import Synchronization

/// Leads from the hash of an id to the numbers of entries: open addressing, linear probing. A slot is 32 bits: the lower
/// ones are an entry's number plus 1, as many as the index needs, the rest are bits of the hash; 0 is empty.
struct SegmentIndex {
    /// The address of the slots, which begin with a cache line, and the logarithm of their number.
    let bits: UInt64

    static let smallest = 6

    /// nil for 0: there is none yet.
    @inline(__always)
    init?(bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    init(_ logarithm: Int, in memory: MirrorMemory) {
        let slots = memory.halfWords(1 << logarithm)
        self.bits = UInt64(UInt(bitPattern: slots)) | UInt64(logarithm)
    }

    @inline(__always)
    private var slots: UnsafeMutablePointer<Atomic<UInt32>> {
        UnsafeMutablePointer(bitPattern: UInt(self.bits & ~63)).unsafelyUnwrapped
    }

    @inline(__always)
    var logarithm: Int { Int(self.bits & 63) }
    @inline(__always)
    private var mask: Int { 1 &<< self.logarithm &- 1 }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & self.mask }

    /// Other bits of the hash than those that `home` uses.
    @inline(__always)
    private func tag(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 26) &<< UInt32(self.logarithm)
    }

    /// How many entries it takes before the next one has to be twice as large.
    var limit: Int { 3 << self.logarithm / 4 }

    @inline(__always)
    func prefetch(_ hash: UInt64) { cprefetch_read(self.slots + self.home(hash)) }

    /// The numbers that may be of this hash, until `body` says false.
    @inline(__always)
    func candidates(_ hash: UInt64, _ body: (Int) -> Bool) {
        let (slots, mask, tag) = (self.slots, self.mask, self.tag(hash))
        var place = self.home(hash)
        while true {
            let slot = slots[place].load(ordering: .acquiring)
            guard slot != 0 else { return }
            if (slot ^ tag) &>> UInt32(self.logarithm) == 0, !body(Int(slot & UInt32(mask)) &- 1) { return }
            place = (place &+ 1) & mask
        }
    }

    /// - Precondition: there are fewer entries than `limit`.
    func insert(_ number: Int, _ hash: UInt64) {
        var place = self.home(hash)
        while self.slots[place].load(ordering: .relaxed) != 0 { place = (place + 1) & self.mask }
        self.slots[place].store(self.tag(hash) | UInt32(number + 1), ordering: .releasing)
    }
}
