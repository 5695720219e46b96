import Synchronization

typealias Word = Atomic<UInt64>
typealias Words = UnsafeMutablePointer<Word>

/// Memory that readers may look at without telling anybody: it is given back when the mirror goes, not before, and what
/// was a word stays one.
struct MirrorMemory: ~Copyable {
    private static let lineBytes = 64

    private var pieces: [UnsafeMutableRawPointer] = []
    /// All that was taken.
    private(set) var bytes = 0

    deinit {
        // Atomic words have nothing to tear down.
        for piece in self.pieces { piece.deallocate() }
    }

    /// Words of zero, beginning with a cache line.
    mutating func words(_ count: Int) -> Words {
        let words = self.take(count * 8, alignment: Self.lineBytes).bindMemory(to: Word.self, capacity: count)
        for index in 0..<count { (words + index).initialize(to: Word(0)) }
        return words
    }

    /// The same with words of half the size.
    mutating func halfWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let words = self.take(count * 4, alignment: Self.lineBytes)
            .bindMemory(to: Atomic<UInt32>.self, capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic<UInt32>(0)) }
        return words
    }

    /// A copy of `bytes` with their count before them, as `MirrorText` reads it.
    mutating func text(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let piece = self.take(8 + bytes.count, alignment: 8)
        piece.storeBytes(of: UInt64(bytes.count), as: UInt64.self)
        (piece + 8).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(piece), byteCount: bytes.count)
        return UnsafeRawPointer(piece)
    }

    private mutating func take(_ count: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let piece = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: alignment)
        self.pieces.append(piece)
        self.bytes += count
        return piece
    }
}

/// Bytes that `MirrorMemory.text` keeps. They never change.
struct MirrorText {
    let address: UnsafeRawPointer

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: self.address + 8, count: Int(self.address.load(as: UInt64.self)))
    }
}
