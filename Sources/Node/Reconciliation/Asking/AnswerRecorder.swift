package import AppStore
import EventLog
import Ingestion
import Logging
package import ServiceContract
import Shards
package import Subscriptions
import WireProtocol

/// Turns what Apple answers into commands of the streams that it speaks of. Every signed item goes through the same
/// verification as a notification; what does not hold is counted, and changes nothing.
package struct AnswerRecorder: Sendable {
    let reader: AnswerReader
    let ingestion: Ingestion
    let logger: Logger

    private var clock: any WallClock { self.ingestion.clock }
    private var latest: Moment { self.ingestion.router.watch.latest }

    /// What a list of items came to.
    package struct Recording {
        package var progress = ReconciliationProgress()
        /// Streams to which something new was added.
        package var changed: Set<StreamKey> = []
        /// Streams that the answer speaks of, by items that hold.
        package var named: Set<StreamKey> = []
    }

    /// Durable when it returns.
    /// - Throws: retryable codes; what was recorded before stays.
    package func record(
        _ statuses: SubscriptionStatuses, of account: ServerAPIAccount
    ) async throws(ServiceError) -> Recording {
        var recording = Recording()
        recording.progress.calls = 1
        for item in statuses.items {
            let parts = [
                item.signedTransactionInfo.map { EvidencePart(name: .signedTransactionInfo, jws: $0.jws) },
                item.signedRenewalInfo.map { EvidencePart(name: .signedRenewalInfo, jws: $0.jws) },
            ].compactMap(\.self)
            try await self.take(parts, into: &recording) { () async throws(ReadingFailure) in
                try await self.reader.read(item, of: account, now: self.clock.now, latest: self.latest)
            }
        }
        return recording
    }

    /// Durable when it returns.
    /// - Throws: retryable codes; what was recorded before stays.
    package func record(
        _ transactions: [SignedString], of account: ServerAPIAccount
    ) async throws(ServiceError) -> Recording {
        var recording = Recording()
        recording.progress.calls = 1
        for transaction in transactions {
            let part = EvidencePart(name: .signedTransactionInfo, jws: transaction.jws)
            try await self.take([part], into: &recording) { () async throws(ReadingFailure) in
                try await self.reader.read(
                    historyTransaction: transaction, of: account, now: self.clock.now, latest: self.latest)
            }
        }
        return recording
    }

    private func take(
        _ originals: [EvidencePart], into recording: inout Recording,
        _ read: @Sendable () async throws(ReadingFailure) -> (StreamKey, FactBundle)
    ) async throws(ServiceError) {
        recording.progress.fetched += 1
        let key: StreamKey
        let bundle: FactBundle
        let evidence: Result<EncodedEvidence, ServiceError>
        do throws(ServiceError) {
            ((key, bundle), evidence) = try await self.ingestion.verify { () async throws(ReadingFailure) in
                (try await read(), self.ingestion.pack(originals))
            }
        } catch {
            guard !error.retryable else { throw error }
            return self.refuse(error, into: &recording)
        }
        let acceptance = try await self.ingestion.router.submit(
            Submission(key: key, bundle: bundle, evidence: try evidence.get()))
        recording.named.insert(key)
        if acceptance.isDuplicate {
            recording.progress.duplicates += 1
        } else {
            recording.progress.recorded += 1
            recording.changed.insert(key)
        }
    }

    private func refuse(_ failure: ServiceError, into recording: inout Recording) {
        recording.progress.refused += 1
        self.logger.warning(
            "A signed item of Apple's answer is refused",
            metadata: .runtime([.reason: "\(failure.code.rawValue): \(failure.message)"]))
    }
}
