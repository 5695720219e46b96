#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The key of a member. Compared with literals of at most 32 bytes in a `switch`, without making a `String`:
///
///     switch key {
///     case "productId": product = try json.text()
///     default: try json.skip()
///     }
package struct JSONKey: Sendable {
    static let inlineBytes = 32

    /// The first 32 bytes of the unescaped UTF-8, then zeros. Held in place, so that comparing a key with every name a
    /// payload may have touches no memory and counts no references.
    private let words: SIMD4<UInt64>
    /// Of all bytes where not all are in `words`, seeded by the process: nobody can make keys that look alike here.
    private let hash: Int
    // Half words, so that a key takes one line of a cache.
    private let length: UInt32
    private let start: UInt32
    private let end: UInt32
    let hasEscapes: Bool

    /// In bytes, without escapes.
    var count: Int { Int(self.length) }
    /// Where it stands in the document, between its quotes.
    var content: Range<Int> { Int(self.start)..<Int(self.end) }

    /// - Parameter bytes: the key, without escapes.
    /// - Precondition: it ends within the first 4 GiB of its document.
    init(_ bytes: UnsafeRawBufferPointer, content: Range<Int>, hasEscapes: Bool) {
        var words = SIMD4<UInt64>()
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: .init(rebasing: bytes.prefix(Self.inlineBytes))) }
        self.words = words
        self.length = UInt32(bytes.count)
        self.hash = bytes.count > Self.inlineBytes ? Self.hash(bytes) : 0
        self.start = UInt32(content.lowerBound)
        self.end = UInt32(content.upperBound)
        self.hasEscapes = hasEscapes
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    package static func ~= (literal: StaticString, key: JSONKey) -> Bool {
        let count = literal.utf8CodeUnitCount
        precondition(count <= Self.inlineBytes, "a longer name would never be found")
        guard count == key.count else { return false }
        return withUnsafeBytes(of: key.words) { memcmp($0.baseAddress!, literal.utf8Start, count) == 0 }
    }

    /// False when the keys certainly differ.
    func mayEqual(_ other: JSONKey) -> Bool {
        self.length == other.length && self.hash == other.hash && self.words == other.words
    }
}
