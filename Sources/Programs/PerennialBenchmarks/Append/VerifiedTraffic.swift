import AppStore
import AppStoreSimulator
import EventLog
import Evidence
import Shards
import Subscriptions
import WireProtocol

extension Submission {
    /// With evidence so large that its event and that have `AppendLoad.bodySize` bytes together, most of them random.
    /// Stores do not look into it.
    var filled: Submission {
        guard let evidence, let event = try? self.wireBytes().count - evidence.wireSize else { return self }
        let missing = max(0, AppendLoad.bodySize - event - evidence.body.count)
        let filling = (0..<missing).map { _ in UInt8.random(in: 0...255) }
        return Submission(
            key: self.key, bundle: self.bundle,
            evidence: EncodedEvidence(headers: evidence.headers, body: evidence.body + filling))
    }
}

extension EncodedEvidence {
    fileprivate var wireSize: Int { self.headers.reduce(self.body.count) { $0 + $1.count } }
}

/// Notifications of a crowd, verified and packed: what a node hands to the shards.
struct VerifiedTraffic: Sendable {
    private static let customersPerChunk = 64
    private static let lanes = 2

    private(set) var submissions: [Submission] = []

    init(count: Int, authority: CertificateAuthority) async throws {
        let factory = try LifecycleFactory(seed: 8, authority: authority)
        let apps = try AppDirectory([try .simulated(root: factory.rootCertificate)])
        let reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        let codec = EvidenceCodec()
        var first = 0
        while self.submissions.count < count {
            self.submissions += try await withThrowingTaskGroup(of: [Submission].self) { group in
                for lane in 0..<Self.lanes {
                    let start = first + lane * Self.customersPerChunk
                    group.addTask {
                        try await Self.chunk(start..<start + Self.customersPerChunk, factory, reader, codec)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            first += Self.lanes * Self.customersPerChunk
        }
    }

    /// In the order of signing.
    private static func chunk(
        _ customers: Range<Int>, _ factory: LifecycleFactory, _ reader: NotificationReader, _ codec: EvidenceCodec
    ) async throws -> [Submission] {
        let now = SystemClock().now
        let notifications = try customers.flatMap { try factory.notifications(ofCustomer: $0) }
            .sorted { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) }
        var submissions: [Submission] = []
        for notification in notifications {
            guard case .bundle(let key, let bundle) = try await reader.read(notification.signedPayload, now: now) else {
                throw BenchmarkError("a notification went to quarantine")
            }
            let evidence = try codec.encode([EvidencePart(name: .signedPayload, jws: notification.signedPayload)])
            submissions.append(Submission(key: key, bundle: bundle, evidence: evidence))
        }
        return submissions
    }
}
