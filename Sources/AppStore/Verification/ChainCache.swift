import Foundation
import Synchronization

/// Chains that have been validated and have then signed a payload, by the exact bytes of the header that carried them:
/// so a known header is not even decoded again, and nobody without Apple's key can fill the cache. Readers take a
/// snapshot and search outside the lock.
final class ChainCache: Sendable {
    static let capacity = 64

    private struct Entry {
        let header: [UInt8]
        let chain: ValidatedChain
    }

    /// Newest first.
    private let entries = Mutex<[Entry]>([])

    subscript(header: ArraySlice<UInt8>) -> ValidatedChain? {
        let entries = self.entries.withLock { $0 }
        return header.withUnsafeBytes { header in
            entries.first { entry in
                entry.header.count == header.count
                    && entry.header.withUnsafeBytes { memcmp($0.baseAddress!, header.baseAddress!, header.count) == 0 }
            }?.chain
        }
    }

    func insert(_ chain: ValidatedChain, header: ArraySlice<UInt8>) {
        let entry = Entry(header: Array(header), chain: chain)
        self.entries.withLock { entries in
            guard !entries.contains(where: { $0.header == entry.header }) else { return }
            entries = [entry] + entries.prefix(Self.capacity - 1)
        }
    }
}
