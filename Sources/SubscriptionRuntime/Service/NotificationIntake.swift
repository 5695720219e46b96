import AppStore
import EventSourcing
import Logging
import Sharding
import Subscriptions
import Synchronization
import WireProtocol

/// The way of every notification, pushed or fetched: verified, and recorded by its owner or set aside.
struct NotificationIntake: Sendable {
    let reader: NotificationReader
    let verification: VerificationPool
    let node: ShardNode
    let quarantine: Quarantine
    let clock: any WallClock
    let metrics: RuntimeMetrics
    private let codec = EvidenceCodec()
    private let refusals = Refusals()
    private let logger: Logger

    /// Shared by all who take in.
    private final class Refusals: Sendable {
        let notice = Mutex(RefusalNotice())
    }

    init(
        reader: NotificationReader, verification: VerificationPool, node: ShardNode, quarantine: Quarantine,
        clock: any WallClock, metrics: RuntimeMetrics, logger: Logger
    ) {
        self.reader = reader
        self.verification = verification
        self.node = node
        self.quarantine = quarantine
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// What is genuine, and ready to be recorded.
    struct Verified: Sendable {
        fileprivate let signedPayload: [UInt8]
        fileprivate let reading: NotificationReading
        fileprivate let evidence: Result<EncodedEvidence, ServiceError>
    }

    /// Durable when it returns.
    /// - Throws: Apple's failure classes for what is forged or malformed; otherwise retryable codes.
    func take(_ signedPayload: [UInt8], mayQuarantine: Bool) async throws(ServiceError) -> IngestOutcome {
        let standing = self.reader.standing(of: signedPayload)
        let verified = try await self.verify(standing) { () async throws(ReadingFailure) in
            try await self.read(signedPayload)
        }
        return try await self.record(verified, mayQuarantine: mayQuarantine)
    }

    /// Many that came together: one after the other, so that threads hand over to each other once and not for each.
    func verify(_ signedPayloads: [[UInt8]]) async throws(ServiceError) -> [Result<Verified, ServiceError>] {
        let start = ContinuousClock.now
        let results: [Result<Verified, ReadingFailure>]
        do {
            results = try await self.verification.run { () async throws(ReadingFailure) in
                var results: [Result<Verified, ReadingFailure>] = []
                for payload in signedPayloads {
                    do throws(ReadingFailure) {
                        results.append(.success(try await self.read(payload)))
                    } catch {
                        results.append(.failure(error))
                    }
                }
                return results
            }
        } catch {
            throw ServiceError(error)
        }
        let time = (ContinuousClock.now - start) / max(1, signedPayloads.count)
        return results.map { result in
            self.metrics.recordVerification(took: time)
            return result.mapError { self.noted($0) }
        }
    }

    private func read(_ signedPayload: [UInt8]) async throws(ReadingFailure) -> Verified {
        let reading = try await self.reader.read(signedPayload, now: self.clock.now, latest: self.node.watch.latest)
        return Verified(
            signedPayload: signedPayload, reading: reading,
            evidence: self.pack([EvidencePart(name: .signedPayload, jws: signedPayload)]))
    }

    /// Durable when it returns.
    func record(_ verified: Verified, mayQuarantine: Bool) async throws(ServiceError) -> IngestOutcome {
        switch verified.reading {
        case .quarantine(let reason, let detail):
            if mayQuarantine {
                try await ServiceError.translating {
                    try await self.quarantine.keep(verified.signedPayload, reason: reason, detail: detail)
                }
                self.metrics.recordUnplaced("quarantined")
            }
            return .quarantined(reason: reason)
        case .bundle(let key, let bundle):
            self.node.watch.noteAcceptance()
            self.refusals.notice.withLock { $0.recordAcceptance(at: .now) }
            let acceptance = try await self.node.ingest(
                Submission(key: key, bundle: bundle, evidence: try verified.evidence.get()))
            let outcome = acceptance?.outcome ?? .kept
            let result =
                switch outcome {
                case .duplicate: "duplicate"
                case .kept: "kept"
                case .recorded, .quarantined: "recorded"
                }
            self.node.parts(of: key).metrics.recordNotification(bundle.notification, of: key, result: result)
            return outcome
        }
    }

    /// Whether a notification is in the log.
    func knows(_ signedPayload: [UInt8]) async throws -> Bool {
        let reading = try await self.verify { () async throws(ReadingFailure) in
            try await self.reader.read(signedPayload, now: self.clock.now, latest: self.node.watch.latest)
        }
        guard case .bundle(let key, let bundle) = reading else { return false }
        let shard = self.node.map.shard(of: key.id)
        return try await !self.node.store.events(withDedupKeys: [bundle.dedupKey], in: shard).isEmpty
    }

    /// On the threads of verification, and not on the one that commits: all processors pack.
    func pack(_ originals: [EvidencePart]) -> Result<EncodedEvidence, ServiceError> {
        Result { () throws(StoreError) in try self.codec.encode(originals) }.mapError { ServiceError($0) }
    }

    /// - Parameter standing: of what comes from nobody knows whom. What Apple itself was asked for needs none.
    func verify<Reading: Sendable>(
        _ standing: HeaderStanding = .known, _ read: @Sendable () async throws(ReadingFailure) -> Reading
    ) async throws(ServiceError) -> Reading {
        let start = ContinuousClock.now
        defer { self.metrics.recordVerification(took: .now - start) }
        do {
            return try await self.verification.run(standing, read)
        } catch {
            throw self.noted(error)
        }
    }

    private func noted(_ failure: ReadingFailure) -> ServiceError {
        switch failure {
        case .refused(let failure):
            self.metrics.recordVerificationFailure(failure.class.rawValue)
            self.report(failure)
        case .clockSkew(let signed): self.node.watch.noteRefusal(signedAt: signed)
        case .overloaded: break
        }
        return ServiceError(failure)
    }

    private func report(_ failure: VerificationFailure) {
        guard !failure.isRetryable, self.refusals.notice.withLock({ $0.recordRefusal(at: .now) }) else { return }
        self.logger.warning(
            "What is signed by the App Store is refused, and nothing was accepted lately: are the root certificates right?",
            metadata: .runtime([.reason: "\(failure.class.rawValue): \(failure.detail)"]))
    }
}
