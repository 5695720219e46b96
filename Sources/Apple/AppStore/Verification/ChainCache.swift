import ByteCoding
import Crypto
import Foundation
import Synchronization

/// A header whose chain has been validated and has then signed a payload. A class, like all that every payload needs:
/// threads that verify would otherwise count the references to each of its parts, and wait for each other doing it.
final class KnownHeader: Sendable {
    /// Base64url, as it came.
    let header: [UInt8]
    let chain: ValidatedChain
    /// SHA-256 so far: four of the five kilobytes that a transaction's signature covers are hashed once.
    let hash: SHA256

    init(_ header: ArraySlice<UInt8>, chain: ValidatedChain) {
        self.header = Array(header)
        self.chain = chain
        self.hash = CompactJWS.hash(ofHeader: header)
    }

    func isHeader(of jws: CompactJWS) -> Bool {
        self.header.count == jws.header.count
            && self.header.withUnsafeBytes { known in
                jws.header.withUnsafeBytes { memcmp(known.baseAddress!, $0.baseAddress!, known.count) == 0 }
            }
    }
}

/// Known headers, found by their exact bytes: so one is not even decoded again, and nobody without Apple's key can fill
/// the cache. Readers take a snapshot and search outside the lock.
final class ChainCache: Sendable {
    static let capacity = 64

    /// Newest first.
    private let entries = Mutex<[KnownHeader]>([])

    /// As long as it is, there is nobody whom those that are unknown could displace.
    var isEmpty: Bool { self.entries.withLock { $0.isEmpty } }

    subscript(jws: CompactJWS) -> KnownHeader? {
        self.entries.withLock { $0 }.first { $0.isHeader(of: jws) }
    }

    func insert(_ known: KnownHeader) {
        self.entries.withLock { entries in
            guard !entries.contains(where: { $0.header == known.header }) else { return }
            entries = [known] + entries.prefix(Self.capacity - 1)
        }
    }
}
