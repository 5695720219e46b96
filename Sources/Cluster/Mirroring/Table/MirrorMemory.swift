import Synchronization

#if canImport(Glibc)
import Glibc
#endif

typealias Word = Atomic<UInt64>
typealias Words = UnsafeMutablePointer<Word>

/// Memory that readers may look at without telling anybody: it is given back when the mirror goes, not before, and what
/// was a word stays one. It is taken in slabs of the size of a huge page, of which a processor remembers more than of small
/// ones.
final class MirrorMemory: Sendable {
    private static let lineBytes = 64
    private static let slabBytes = 1 << 21

    private struct State {
        /// Addresses.
        var slabs: [UInt] = []
        var next: UInt = 0
        var left = 0
        var bytes = 0
    }

    private let state = Mutex(State())

    deinit {
        // Atomic words have nothing to tear down.
        self.state.withLock { state in
            for slab in state.slabs { UnsafeMutableRawPointer(bitPattern: slab)?.deallocate() }
        }
    }

    /// All that was taken.
    var bytes: Int { self.state.withLock { $0.bytes } }

    /// Words of zero, beginning with a cache line.
    func words(_ count: Int) -> Words {
        let words = self.take(count * 8, alignment: Self.lineBytes).bindMemory(to: Word.self, capacity: count)
        for index in 0..<count { (words + index).initialize(to: Word(0)) }
        return words
    }

    /// The same with words of half the size.
    func halfWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let words = self.take(count * 4, alignment: Self.lineBytes)
            .bindMemory(to: Atomic<UInt32>.self, capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic<UInt32>(0)) }
        return words
    }

    /// A copy of `bytes` with their count before them, as `MirrorText` reads it.
    func text(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let piece = self.take(8 + bytes.count, alignment: 8)
        piece.storeBytes(of: UInt64(bytes.count), as: UInt64.self)
        (piece + 8).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(piece), byteCount: bytes.count)
        return UnsafeRawPointer(piece)
    }

    private func take(_ count: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let address = self.state.withLock { state in
            let padding = (alignment - Int(state.next % UInt(alignment))) % alignment
            if padding + count > state.left {
                // What is larger than a slab gets one of its own size.
                let size = (count + Self.slabBytes - 1) / Self.slabBytes * Self.slabBytes
                state.next = Self.slab(size)
                state.left = size
                state.slabs.append(state.next)
                state.bytes += size
            } else {
                state.next += UInt(padding)
                state.left -= padding
            }
            defer {
                state.next += UInt(count)
                state.left -= count
            }
            return state.next
        }
        guard let piece = UnsafeMutableRawPointer(bitPattern: address) else { preconditionFailure("no memory at 0") }
        return piece
    }

    private static func slab(_ size: Int) -> UInt {
        let slab = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: self.slabBytes)
        #if canImport(Glibc)
        // A wish: where it is not granted, nothing is wrong.
        _ = madvise(slab, size, MADV_HUGEPAGE)
        #endif
        return UInt(bitPattern: slab)
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
