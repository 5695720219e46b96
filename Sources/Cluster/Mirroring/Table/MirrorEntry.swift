import Subscriptions
import Synchronization

/// One stream of a mirror: a cache line of words.
///
///     0  a number that is odd while the words from 3 on are being written
///     1  the id: a number, or the address of a text
///     2  kind (8 bits), whether the id is a text (1), whether it has streams in other apps (7), shard (16), app (32)
///     3  version (48), whether it is doubted (8), how many phases (8)
///     4… the phases (see `PhaseWord`); or, of many, the address of a block of them, and their count
///
/// The words 1 and 2 never change once a reader can find them, but for the mark of other apps.
struct MirrorEntry {
    static let wordCount = 8

    let words: Words

    // MARK: Name

    var id: UInt64 { self.words[1].load(ordering: .relaxed) }
    var name: NameWord { NameWord(bits: self.words[2].load(ordering: .relaxed)) }

    /// - Precondition: no reader can find it yet.
    func setName(id: UInt64, _ name: NameWord) {
        self.words[1].store(id, ordering: .relaxed)
        self.words[2].store(name.bits, ordering: .relaxed)
    }

    /// From now on it is not the only one of its kind and id.
    func setShared() { self.words[2].store(self.name.bits | NameWord.shared, ordering: .releasing) }

    /// Where the id has its place.
    var hash: UInt64 {
        let name = self.name
        return name.isText ? MirrorID.hash(text: self.text.bytes, name.kind) : MirrorID.hash(self.id, name.kind)
    }

    /// - Precondition: `name.isText`.
    var text: MirrorText {
        guard let address = UnsafeRawPointer(bitPattern: UInt(self.id)) else { preconditionFailure("no text") }
        return MirrorText(address: address)
    }

    // MARK: Value

    /// What changes with a commit.
    struct Value {
        var head: HeadWord
        var first: UInt64
        var second: UInt64
        var third: UInt64
        var fourth: UInt64
    }

    @inline(__always)
    static func load(_ words: Words) -> Value {
        Value(
            head: HeadWord(bits: words[0].load(ordering: .relaxed)), first: words[1].load(ordering: .relaxed),
            second: words[2].load(ordering: .relaxed), third: words[3].load(ordering: .relaxed),
            fourth: words[4].load(ordering: .relaxed))
    }

    static func store(_ value: Value, _ words: Words) {
        words[0].store(value.head.bits, ordering: .relaxed)
        words[1].store(value.first, ordering: .relaxed)
        words[2].store(value.second, ordering: .relaxed)
        words[3].store(value.third, ordering: .relaxed)
        words[4].store(value.fourth, ordering: .relaxed)
    }

    /// nil while it is written.
    @inline(__always)
    var valueUnlessWritten: Value? {
        let before = self.words[0].load(ordering: .acquiring)
        let value = Self.load(self.valueWords)
        atomicMemoryFence(ordering: .acquiring)
        return before & 1 == 0 && self.words[0].load(ordering: .relaxed) == before ? value : nil
    }

    var valueWords: Words { self.words + 3 }

    /// The writer's look.
    var value: Value { Self.load(self.valueWords) }
}

/// What an entry is called, beside its id.
struct NameWord {
    static let kindMask: UInt64 = 0xFF
    static let text: UInt64 = 1 << 8
    static let shared: UInt64 = 1 << 9

    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(kind: StreamKind, isText: Bool, shard: UInt16, app: UInt32) {
        self.bits = UInt64(kind.rawValue) | (isText ? Self.text : 0) | UInt64(shard) << 16 | UInt64(app) << 32
    }

    /// The raw value.
    var kind: UInt8 { UInt8(truncatingIfNeeded: self.bits) }
    var isText: Bool { self.bits & Self.text != 0 }
    var shard: Int { Int(self.bits >> 16 & 0xFFFF) }
    var app: UInt32 { UInt32(truncatingIfNeeded: self.bits >> 32) }
}

/// The version of an entry, and how its phases are kept.
struct HeadWord {
    static let maximumVersion: Int64 = 1 << 48 - 1
    private static let block: UInt64 = 0xFE
    private static let gone: UInt64 = 0xFF

    var bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// - Parameter inline: how many phases the entry holds itself; nil for a block of them.
    init(version: Int64, inline: Int?) {
        self.bits = UInt64(version) | (inline.map { UInt64($0) } ?? Self.block) << 56
    }

    /// Of a stream that turned out not to be.
    static let nothing = HeadWord(bits: Self.gone << 56)

    var version: Int64 { Int64(self.bits & (1 << 48 - 1)) }
    /// Of a log that may have been rewound: whatever comes next is believed.
    var isDoubted: Bool {
        get { self.bits & 1 << 48 != 0 }
        set { self.bits = newValue ? self.bits | 1 << 48 : self.bits & ~(1 << 48) }
    }
    var isBlock: Bool { self.bits >> 56 == Self.block }
    /// One phase to four.
    var hasWords: Bool { self.bits >> 56 &- 1 < 4 }
    var isGone: Bool { self.bits >> 56 == Self.gone }
}

/// When a phase begins, whether it gives access, which of the phases after it ends that, and the number of what else it
/// says. Words are in the order of their beginnings.
struct PhaseWord {
    static let maximumFrom: Int64 = 1 << 44 - 2
    static let maximumStanding = 1 << 17 - 1
    /// One that never begins.
    static let absent: UInt64 = .max

    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    /// - Precondition: both are within the bounds above, and not negative.
    /// - Parameter end: 1…3; 0 where nothing ends it.
    init(from: Int64, entitled: Bool, end: Int, standing: Int) {
        self.bits = UInt64(from) << 20 | (entitled ? 1 << 19 : 0) | UInt64(end) << 17 | UInt64(standing)
    }

    /// More than the words of all phases that have begun at a moment, in milliseconds since 1970.
    static func bound(at moment: Int64) -> UInt64 {
        moment > self.maximumFrom ? self.absent : UInt64(max(0, moment + 1)) << 20
    }

    /// Milliseconds since 1970.
    var from: Int64 { Int64(self.bits >> 20) }
    var entitled: Bool { self.bits & 1 << 19 != 0 }
    var end: Int { Int(self.bits >> 17 & 3) }
    var standing: Int { Int(self.bits & (1 << 17 - 1)) }
}
