import Synchronization

/// Words in a row, of which there may be more and more, and which anybody reads without a lock. One writer at a time.
/// When they outgrow their memory they are copied; who reads the old memory still finds what it had been told of.
struct GrowingWords {
    /// Holds the address of the words.
    private let root: Words
    private var capacity = 0
    private(set) var count = 0

    /// - Parameter root: one word, of zero.
    init(root: Words) { self.root = root }

    mutating func append(_ value: UInt64, in memory: MirrorMemory) {
        if self.count == self.capacity {
            let grown = memory.words(max(8, self.capacity * 2))
            for index in 0..<self.count {
                grown[index].store(Self.value(at: index, root: self.root), ordering: .relaxed)
            }
            self.root.pointee.store(UInt64(UInt(bitPattern: grown)), ordering: .releasing)
            self.capacity = max(8, self.capacity * 2)
        }
        Self.words(self.root)[self.count].store(value, ordering: .releasing)
        self.count += 1
    }

    /// - Precondition: a place that was appended before the reader heard of it.
    @inline(__always)
    static func value(at index: Int, root: Words) -> UInt64 {
        self.words(root)[index].load(ordering: .acquiring)
    }

    @inline(__always)
    private static func words(_ root: Words) -> Words {
        guard let words = Words(bitPattern: UInt(root.pointee.load(ordering: .acquiring))) else {
            preconditionFailure("nothing was appended")
        }
        return words
    }
}
