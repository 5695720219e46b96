package import AppStore
package import EventLog
import Evidence
package import Logging
import Ownership
package import ServiceContract
package import Shards
import Subscriptions
import Synchronization
import WireProtocol

/// Takes every notification, pushed or fetched: verifies it, and has it recorded by the owner of its shard or sets it aside.
package struct Ingestion: Sendable {
    private let pushed: NotificationReader
    private let fetched: NotificationReader
    let verification: VerificationPool
    package let router: ShardRouter
    let quarantine: Quarantine
    package let clock: any WallClock
    let metrics: RuntimeMetrics
    private let codec = EvidenceCodec()
    private let refusals = Refusals()
    private let logger: Logger

    /// Shared by all who take in.
    private final class Refusals: Sendable {
        let notice = Mutex(RefusalNotice())
    }

    package init(
        reader: NotificationReader, verification: VerificationPool, router: ShardRouter, quarantine: Quarantine,
        clock: any WallClock, metrics: RuntimeMetrics, logger: Logger
    ) {
        self.pushed = reader
        self.fetched = reader.ofAnswers
        self.verification = verification
        self.router = router
        self.quarantine = quarantine
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Knows the chains by which Apple signs, before the first notification comes. Returns when the store has been asked: it
    /// may be away when a node starts.
    package func learnChains() async {
        while !Task.isCancelled {
            if let headers = try? await self.router.store.headerSegments(limit: Self.knownHeaders) {
                return await self.pushed.learn(headers: headers)
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Apple signs with a handful at a time.
    private static let knownHeaders = 16

    /// What is genuine, and ready to be recorded.
    package struct Verified: Sendable {
        fileprivate let signedPayload: [UInt8]
        fileprivate let reading: NotificationReading
        fileprivate let evidence: Result<EncodedEvidence, ServiceError>
    }

    /// Takes what the App Store posts; durable when it returns.
    /// - Throws: Apple's failure classes for what is forged or malformed; otherwise retryable codes.
    package func ingest(body: [UInt8]) async throws(ServiceError) -> IngestOutcome {
        try await self.counted { () async throws(ServiceError) in
            try await self.verifyAndRecord(self.signedPayload(in: body), mayQuarantine: true)
        }
    }

    /// The same, of the compact JWS in it.
    package func ingest(signedPayload: [UInt8]) async throws(ServiceError) -> IngestOutcome {
        try await self.counted { () async throws(ServiceError) in
            try await self.verifyAndRecord(signedPayload, mayQuarantine: true)
        }
    }

    /// Takes what was set aside before.
    package func replay(_ signedPayload: [UInt8]) async throws(ServiceError) -> IngestOutcome {
        try await self.verifyAndRecord(signedPayload, mayQuarantine: false)
    }

    private func counted(
        _ take: () async throws(ServiceError) -> IngestOutcome
    ) async throws(ServiceError) -> IngestOutcome {
        let start = ContinuousClock.now
        do throws(ServiceError) {
            let outcome = try await take()
            self.metrics.recordAcknowledged(took: .now - start)
            return outcome
        } catch {
            self.metrics.recordUnplaced(error.retryable ? "deferred" : "refused")
            throw error
        }
    }

    private func signedPayload(in body: [UInt8]) throws(ServiceError) -> [UInt8] {
        do throws(VerificationFailure) {
            return try NotificationBody(body).signedPayload
        } catch {
            self.metrics.recordVerificationFailure(error.class.rawValue)
            throw ServiceError(ReadingFailure.refused(error))
        }
    }

    private func verifyAndRecord(
        _ signedPayload: [UInt8], mayQuarantine: Bool
    ) async throws(ServiceError) -> IngestOutcome {
        let standing = self.pushed.standing(of: signedPayload)
        let verified = try await self.verify(standing) { () async throws(ReadingFailure) in
            try await self.read(signedPayload, by: self.pushed)
        }
        return try await self.record(verified, mayQuarantine: mayQuarantine)
    }

    /// Many of an answer of Apple's: one after the other, so that threads hand over to each other once and not for each.
    package func verify(_ signedPayloads: [[UInt8]]) async throws(ServiceError) -> [Result<Verified, ServiceError>] {
        let start = ContinuousClock.now
        let results: [Result<Verified, ReadingFailure>]
        do {
            results = try await self.verification.run { () async throws(ReadingFailure) in
                var results: [Result<Verified, ReadingFailure>] = []
                for payload in signedPayloads {
                    do throws(ReadingFailure) {
                        results.append(.success(try await self.read(payload, by: self.fetched)))
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

    private func read(
        _ signedPayload: [UInt8], by reader: NotificationReader
    ) async throws(ReadingFailure) -> Verified {
        let (reading, original) = try await reader.open(
            signedPayload, now: self.clock.now, latest: self.router.watch.latest)
        return Verified(
            signedPayload: signedPayload, reading: reading,
            evidence: original.map { .success(self.codec.encode(.signedPayload, $0)) }
                ?? self.pack([EvidencePart(name: .signedPayload, jws: signedPayload)]))
    }

    /// Durable when it returns.
    package func record(_ verified: Verified, mayQuarantine: Bool) async throws(ServiceError) -> IngestOutcome {
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
            self.router.watch.noteAcceptance()
            self.refusals.notice.withLock { $0.recordAcceptance(at: .now) }
            let acceptance = try await self.router.ingest(
                Submission(key: key, bundle: bundle, evidence: try verified.evidence.get()))
            let outcome = acceptance?.outcome ?? .kept
            let result =
                switch outcome {
                case .duplicate: "duplicate"
                case .kept: "kept"
                case .recorded, .quarantined: "recorded"
                }
            self.router.parts(of: key).metrics.recordNotification(bundle.notification, of: key, result: result)
            return outcome
        }
    }

    /// Whether a notification that Apple was asked for is in the log.
    package func knows(_ signedPayload: [UInt8]) async throws -> Bool {
        let reading = try await self.verify { () async throws(ReadingFailure) in
            try await self.fetched.read(signedPayload, now: self.clock.now, latest: self.router.watch.latest)
        }
        guard case .bundle(let key, let bundle) = reading else { return false }
        let shard = self.router.map.shard(of: key.id)
        return try await !self.router.store.events(withDedupKeys: [bundle.dedupKey], in: shard).isEmpty
    }

    /// On the threads of verification, and not on the one that commits: all processors pack.
    package func pack(_ originals: [EvidencePart]) -> Result<EncodedEvidence, ServiceError> {
        Result { () throws(StoreError) in try self.codec.encode(originals) }.mapError { ServiceError($0) }
    }

    /// - Parameter standing: of what comes from nobody knows whom. What Apple itself was asked for needs none.
    package func verify<Reading: Sendable>(
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
        case .clockSkew(let signed): self.router.watch.noteRefusal(signedAt: signed)
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
