import EventLog
import Synchronization
import WireProtocol

/// The header segments of JWS that this node has met lately. They hold the certificate chains, the same 4 KB for millions of
/// payloads, and so go between nodes by their hashes.
final class HeaderCache: Sendable {
    /// Apple signs with a handful of chains at a time.
    private static let limit = 16

    private struct Entry {
        var hash: [UInt8]
        var segment: [UInt8]
    }

    /// The newest first.
    private let entries = Mutex<[Entry]>([])

    /// SHA-256 of a segment, which is remembered.
    func hash(of segment: [UInt8]) -> [UInt8] { self.entry(of: segment).hash }

    /// What another node has sent. Its segments are remembered, and shared by all that has them.
    /// - Throws: `WireError`, also for the hash of a segment that is not known.
    func submission(_ bytes: [UInt8]) throws(WireError) -> Submission {
        let submission = try Submission(wireBytes: bytes) { hash in
            self.entries.withLock { $0.first { $0.hash == hash }?.segment }
        }
        guard var evidence = submission.evidence else { return submission }
        evidence.headers = evidence.headers.map { self.entry(of: $0).segment }
        return Submission(key: submission.key, bundle: submission.bundle, evidence: evidence)
    }

    private func entry(of segment: [UInt8]) -> Entry {
        if let known = self.entries.withLock({ $0.first { $0.segment.isSame(as: segment) } }) { return known }
        let entry = Entry(hash: ContentHash.sha256(segment), segment: segment)
        self.entries.withLock { $0 = [entry] + $0.prefix(Self.limit - 1) }
        return entry
    }
}
