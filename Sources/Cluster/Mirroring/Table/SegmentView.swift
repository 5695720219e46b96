import Synchronization

/// What readers see of one part of a mirror's table, without a lock:
///
///     0  the index: the address of its slots, and in the low bits the logarithm of their number
///     1  the address of the addresses of the chunks that hold the entries
///     8… the shadow: what the entry that is being written held before, so that nobody waits for the writer:
///        a number that is odd while the shadow itself is written, the entry's number plus 1, its value
///
/// Entries never move and are never given back. An index that became too small stays for those who are reading it. Sendable, since all
/// of it are atomic words.
struct SegmentView: @unchecked Sendable {
    static let wordCount = 16
    private static let chunkLogarithm = 9
    static var entriesPerChunk: Int { 1 << self.chunkLogarithm }

    let words: Words

    var chunkRoot: Words { self.words + 1 }
    var shadow: Words { self.words + 8 }

    @inline(__always)
    var index: SegmentIndex? { SegmentIndex(bits: self.words[0].load(ordering: .acquiring)) }

    func publish(_ index: SegmentIndex) { self.words[0].store(index.bits, ordering: .releasing) }

    /// - Precondition: the number was read from an index.
    @inline(__always)
    func entry(_ number: Int) -> MirrorEntry {
        let (chunkNumber, place) = (number &>> Self.chunkLogarithm, number & (Self.entriesPerChunk - 1))
        let chunk = GrowingWords.value(at: chunkNumber, root: self.chunkRoot)
        guard let words = Words(bitPattern: UInt(chunk)) else { preconditionFailure("a chunk is somewhere") }
        return MirrorEntry(words: words + place &* MirrorEntry.wordCount)
    }

    /// The first that may be of this hash.
    @inline(__always)
    func firstEntry(_ hash: UInt64) -> MirrorEntry? {
        var entry: MirrorEntry?
        self.index?.candidates(hash) { number in
            entry = self.entry(number)
            return false
        }
        return entry
    }

    // MARK: Reading

    /// The value of an entry as it was at one moment during the call. Goes round again only when the writer has gone on.
    /// - Parameter body: gets values that are whole. What it reads of a block may not be: then it is called again, and its
    ///   result thrown away.
    @inline(__always)
    func read<Result>(_ number: Int, _ entry: MirrorEntry, _ body: (MirrorEntry.Value) -> Result) -> Result {
        while true {
            if let result = Self.read(entry.words, entry.valueWords, body) { return result }
            if let result = Self.read(
                self.shadow, self.shadow + 2, owner: UInt64(number) + 1, ownerWord: self.shadow + 1, body)
            {
                return result
            }
        }
    }

    /// nil when the words were written meanwhile, or belong to another.
    @inline(__always)
    private static func read<Result>(
        _ sequence: Words, _ words: Words, owner: UInt64? = nil, ownerWord: Words? = nil,
        _ body: (MirrorEntry.Value) -> Result
    ) -> Result? {
        let before = sequence.pointee.load(ordering: .acquiring)
        guard before & 1 == 0 else { return nil }
        if let owner, let ownerWord, ownerWord.pointee.load(ordering: .relaxed) != owner { return nil }
        let value = MirrorEntry.load(words)
        atomicMemoryFence(ordering: .acquiring)
        guard sequence.pointee.load(ordering: .relaxed) == before else { return nil }
        let result = body(value)
        guard value.head.isBlock else { return result }
        atomicMemoryFence(ordering: .acquiring)
        return sequence.pointee.load(ordering: .relaxed) == before ? result : nil
    }

    // MARK: Writing, by one at a time

    /// From here to `endWriting` readers are given the value that the entry has now.
    func beginWriting(_ number: Int, _ entry: MirrorEntry) {
        self.setShadow(owner: UInt64(number) + 1, entry.value)
        let sequence = entry.words[0].load(ordering: .relaxed)
        entry.words[0].store(sequence + 1, ordering: .releasing)
        atomicMemoryFence(ordering: .releasing)
    }

    func endWriting(_ entry: MirrorEntry, _ value: MirrorEntry.Value) {
        MirrorEntry.store(value, entry.valueWords)
        let sequence = entry.words[0].load(ordering: .relaxed)
        entry.words[0].store(sequence + 1, ordering: .releasing)
    }

    /// Whoever reads from the shadow looks again: to be called before a block that it may name is written.
    func clearShadow() {
        self.setShadow(
            owner: 0, MirrorEntry.Value(head: .nothing, first: 0, second: 0, third: 0, fourth: 0))
        atomicMemoryFence(ordering: .releasing)
    }

    private func setShadow(owner: UInt64, _ value: MirrorEntry.Value) {
        let sequence = self.shadow[0].load(ordering: .relaxed)
        self.shadow[0].store(sequence + 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        self.shadow[1].store(owner, ordering: .relaxed)
        MirrorEntry.store(value, self.shadow + 2)
        self.shadow[0].store(sequence + 2, ordering: .releasing)
    }
}
