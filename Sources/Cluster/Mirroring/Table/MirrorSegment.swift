import Subscriptions
import Synchronization

/// The writer's side of one part of a mirror's table. Sendable, since nobody else has its memory but readers of atomic
/// words.
struct MirrorSegment: ~Copyable, @unchecked Sendable {
    let view: SegmentView
    private let memory: MirrorMemory
    private var chunks: GrowingWords
    /// Those of streams that turned out not to be as well.
    private(set) var entryCount = 0
    /// Of blocks that no entry names, by the logarithm of the number of phases they hold.
    private var freeBlocks: [Int: [Words]] = [:]

    init(view: SegmentView, memory: MirrorMemory) {
        self.memory = memory
        self.view = view
        self.chunks = GrowingWords(root: view.chunkRoot)
    }

    /// Takes a row over.
    /// - Returns: false when it does not take the place of what is there.
    mutating func apply(
        _ id: UnsafeRawBufferPointer, _ name: StreamName, _ row: MirroredRow, _ replacing: ReplacedRow
    ) -> Bool {
        guard let number = self.number(of: name, id) else {
            if replacing == .olderVersion { self.insert(id, name, row) }
            return replacing == .olderVersion
        }
        let entry = self.view.entry(number)
        let old = entry.value
        let isReplaced =
            switch replacing {
            case .olderVersion: old.head.isGone || old.head.isDoubted || old.head.version < row.version
            case .sameVersion: !old.head.isGone && old.head.version == row.version
            }
        guard isReplaced else { return false }
        self.view.beginWriting(number, entry)
        let value = self.value(row)
        self.view.endWriting(entry, value)
        self.release(old)
        return true
    }

    /// Changes the values of some entries.
    /// - Parameter body: gives nil for those that stay as they are.
    mutating func update(_ body: (NameWord, HeadWord) -> HeadWord?) {
        for number in 0..<self.entryCount {
            let entry = self.view.entry(number)
            let old = entry.value
            guard let head = body(entry.name, old.head) else { continue }
            self.view.beginWriting(number, entry)
            var value = old
            value.head = head
            self.view.endWriting(entry, value)
            if head.isGone { self.release(old) }
        }
    }

    // MARK: Entries

    private func number(of name: StreamName, _ id: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        self.view.index?.candidates(name.hash) { number in
            let entry = self.view.entry(number)
            if entry.name.app == name.app, entry.isOf(id, name) { found = number }
            return found == nil
        }
        return found
    }

    /// Marks streams of the same id in other apps.
    /// - Returns: whether there are any.
    private func markOthers(of name: StreamName, _ id: UnsafeRawBufferPointer) -> Bool {
        var areThere = false
        self.view.index?.candidates(name.hash) { number in
            let entry = self.view.entry(number)
            guard entry.isOf(id, name) else { return true }
            entry.setShared()
            areThere = true
            return true
        }
        return areThere
    }

    private mutating func insert(_ id: UnsafeRawBufferPointer, _ name: StreamName, _ row: MirroredRow) {
        let number = self.entryCount
        if number % SegmentView.entriesPerChunk == 0 {
            let chunk = self.memory.words(SegmentView.entriesPerChunk * MirrorEntry.wordCount)
            self.chunks.append(UInt64(UInt(bitPattern: chunk)), in: self.memory)
        }
        let entry = self.view.entry(number)
        let word = name.number ?? UInt64(UInt(bitPattern: self.memory.text(id)))
        entry.setName(id: word, name.word)
        if self.markOthers(of: name, id) { entry.setShared() }
        self.view.clearShadow()
        MirrorEntry.store(self.value(row), entry.valueWords)
        self.entryCount += 1
        self.enter(number, name.hash)
    }

    private mutating func enter(_ number: Int, _ hash: UInt64) {
        if let index = self.view.index, self.entryCount < index.limit { return index.insert(number, hash) }
        let logarithm = self.view.index.map { $0.logarithm + 1 } ?? SegmentIndex.smallest
        let index = SegmentIndex(logarithm, in: self.memory)
        for number in 0..<self.entryCount { index.insert(number, self.view.entry(number).hash) }
        self.view.publish(index)
    }

    // MARK: Phases

    /// - Precondition: nobody reads from the shadow what a free block held.
    private mutating func value(_ row: MirroredRow) -> MirrorEntry.Value {
        if let words = row.words {
            return MirrorEntry.Value(
                head: HeadWord(version: row.version, inline: row.phases.count), first: words[0], second: words[1],
                third: words[2], fourth: words[3])
        }
        let logarithm = Self.logarithm(row.phases.count)
        let block = self.freeBlocks[logarithm]?.popLast() ?? self.memory.words(2 << logarithm)
        // Whoever sees one of these words, be it too early, also sees the standing that it names.
        for (index, phase) in row.phases.enumerated() {
            block[2 * index].store(UInt64(bitPattern: phase.from), ordering: .releasing)
            block[2 * index + 1].store(phase.blockWord, ordering: .releasing)
        }
        return MirrorEntry.Value(
            head: HeadWord(version: row.version, inline: nil), first: UInt64(UInt(bitPattern: block)),
            second: UInt64(row.phases.count), third: 0, fourth: 0)
    }

    private mutating func release(_ value: MirrorEntry.Value) {
        guard value.head.isBlock, let block = Words(bitPattern: UInt(value.first)) else { return }
        self.freeBlocks[Self.logarithm(Int(value.second)), default: []].append(block)
    }

    /// Of the number of phases that a block for `count` holds.
    private static func logarithm(_ count: Int) -> Int {
        var logarithm = 3
        while 1 << logarithm < count { logarithm += 1 }
        return logarithm
    }
}
