import CPrefetch
import Synchronization

/// Leads from the hash of an id to the numbers of entries: open addressing by buckets of eight slots, each filled from its
/// front. A bucket is looked at as a whole, so that no branch depends on chance: a processor then goes on to the next
/// question while the memory of this one is still on its way.
///
/// A slot is 32 bits: the lower ones are an entry's number plus 1, as many as the index needs, the rest are bits of the
/// hash, of which the highest is always set; 0 is empty. Two slots are a word, the first one in its lower half.
struct SegmentIndex {
    /// The address of the words, which begin with a cache line, and the logarithm of the number of slots.
    let bits: UInt64

    static let smallest = 6
    private static let wordsPerBucket = 4

    /// nil for 0: there is none yet.
    @inline(__always)
    init?(bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    init(_ logarithm: Int, in memory: MirrorMemory) {
        let words = memory.words(1 << logarithm / 2)
        self.bits = UInt64(UInt(bitPattern: words)) | UInt64(logarithm)
    }

    @inline(__always)
    private var words: Words { Words(bitPattern: UInt(self.bits & ~63)).unsafelyUnwrapped }

    @inline(__always)
    var logarithm: Int { Int(self.bits & 63) }

    /// The first word of a bucket.
    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & self.wordMask & ~3 }

    @inline(__always)
    private var wordMask: Int { (1 &<< self.logarithm) / 2 &- 1 }

    /// Other bits of the hash than those that `home` uses.
    @inline(__always)
    private func tag(_ hash: UInt64) -> UInt32 {
        (UInt32(truncatingIfNeeded: hash &>> 26) &<< UInt32(self.logarithm)) | 1 &<< 31
    }

    /// How many entries it takes before the next one has to be twice as large.
    var limit: Int { 3 << self.logarithm / 4 }

    @inline(__always)
    func prefetch(_ hash: UInt64) { cprefetch_read(self.words + self.home(hash)) }

    /// The numbers that may be of this hash, until `body` says false.
    @inline(__always)
    func candidates(_ hash: UInt64, _ body: (Int) -> Bool) {
        let (tag, logarithm) = (self.tag(hash), UInt32(self.logarithm))
        let numbers = (1 &<< UInt64(logarithm)) &- 1
        var place = self.home(hash)
        while true {
            let bucket = self.words + place
            let last = bucket[3].load(ordering: .acquiring)
            var matches =
                Self.matches(bucket[0].load(ordering: .acquiring), tag, logarithm)
                | Self.matches(bucket[1].load(ordering: .acquiring), tag, logarithm) &<< 2
                | Self.matches(bucket[2].load(ordering: .acquiring), tag, logarithm) &<< 4
                | Self.matches(last, tag, logarithm) &<< 6
            while matches != 0 {
                let slot = matches.trailingZeroBitCount
                let word = bucket[slot / 2].load(ordering: .relaxed) &>> (32 * UInt64(slot & 1))
                guard body(Int(word & numbers) &- 1) else { return }
                matches &= matches &- 1
            }
            guard last &>> 32 != 0 else { return }
            place = (place &+ Self.wordsPerBucket) & self.wordMask
        }
    }

    /// Which of the two slots of a word have a tag.
    @inline(__always)
    private static func matches(_ word: UInt64, _ tag: UInt32, _ logarithm: UInt32) -> UInt {
        let low = (UInt32(truncatingIfNeeded: word) ^ tag) &>> logarithm
        let high = (UInt32(truncatingIfNeeded: word &>> 32) ^ tag) &>> logarithm
        return (low == 0 ? 1 : 0) | (high == 0 ? 2 : 0)
    }

    /// - Precondition: there are fewer entries than `limit`.
    func insert(_ number: Int, _ hash: UInt64) {
        let value = UInt64(self.tag(hash) | UInt32(number + 1))
        var place = self.home(hash)
        while true {
            let word = self.words[place].load(ordering: .relaxed)
            if word == 0 { return self.words[place].store(value, ordering: .releasing) }
            if word >> 32 == 0 { return self.words[place].store(word | value << 32, ordering: .releasing) }
            place = (place + 1) & self.wordMask
        }
    }
}
