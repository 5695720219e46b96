import EventLog
import Evidence
import ServiceContract
package import SubscriptionService
import Subscriptions
import WireProtocol

extension SubscriptionService {
    /// Records one period of each of several subscriptions, all at a time.
    package func renew(_ ids: Range<Int>, period: Int, of bundleID: String = "com.example.app") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { try await self.renew(id, period: period, of: bundleID) } }
            try await group.waitForAll()
        }
    }

    package func renew(_ ids: Range<Int>, periods: ClosedRange<Int>) async throws {
        for period in periods { try await self.renew(ids, period: period) }
    }

    /// - Parameter signedPayload: the notification that it came with.
    package func renew(
        _ id: Int, period: Int, of bundleID: String = "com.example.app", signedPayload: String? = nil
    ) async throws {
        let number = id * 1_000 + period
        let digest = PayloadDigest((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
        let bundleID = BundleID(rawValue: bundleID)
        let start = PublishingNode.start + .days(Int64(30 * period))
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "\(2_000_000_000 + id)"),
            transactionID: TransactionID(rawValue: "\(3_000_000_000 + number)"), bundleID: bundleID,
            environment: .production, signedDate: start, digest: digest)
        info.productID = "pro.monthly"
        info.productType = "Auto-Renewable Subscription"
        info.purchaseDate = start
        info.originalPurchaseDate = PublishingNode.start
        info.expiresDate = start + .days(30)
        info.inAppOwnershipType = "PURCHASED"
        let bundle = FactBundle(
            facts: Facts(transactions: [info]), source: .client, dedupKey: digest.bytes, contentDigest: digest,
            signedDate: start)
        let key = StreamKey(
            kind: .subscription, id: info.originalTransactionID.rawValue, environment: .production, bundleID: bundleID)
        let evidence = try signedPayload.map {
            try EvidenceCodec().encode([EvidencePart(name: .signedPayload, jws: Array($0.utf8))])
        }
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: evidence))
    }
}
