import PerennialTestSupport
import SubscriptionService
import Subscriptions
import WireProtocol

extension SubscriptionService {
    /// Records a notification about the second period of a stream of which nothing is known.
    /// - Parameter label: Apple's type and subtype; what it holds is made to fit it.
    func beginWith(_ label: (type: String, subtype: String?), of id: Int, kind: StreamKind) async throws {
        let start = PublishingNode.start + .days(-1)
        let name = OriginalTransactionID(rawValue: "\(2_000_000_000 + id)")
        let bundleID = BundleID(rawValue: "com.example.app")
        func digest(_ part: Int) -> PayloadDigest {
            PayloadDigest((0..<32).map { UInt8(truncatingIfNeeded: (id * 4 + part) >> (8 * ($0 % 4))) })
        }
        var info = TransactionInfo(
            originalTransactionID: name, transactionID: TransactionID(rawValue: "\(3_000_000_000 + id)"),
            bundleID: bundleID, environment: .production, signedDate: PublishingNode.start, digest: digest(0))
        info.productType = kind == .purchase ? "Non-Consumable" : "Auto-Renewable Subscription"
        info.productID = "pro.monthly"
        info.purchaseDate = start
        info.originalPurchaseDate = start + .days(-30)
        info.inAppOwnershipType = label.type == "REVOKE" ? "FAMILY_SHARED" : "PURCHASED"
        var facts = Facts()
        if kind == .subscription {
            info.transactionReason = "RENEWAL"
            info.expiresDate = PublishingNode.start + .days(29)
            var renewal = RenewalInfo(
                originalTransactionID: name, environment: .production, signedDate: PublishingNode.start,
                digest: digest(1))
            (renewal.productID, renewal.autoRenewProductID) = ("pro.monthly", "pro.monthly")
            renewal.autoRenewStatus = label.subtype == "AUTO_RENEW_DISABLED" ? 0 : 1
            switch label.type {
            case "EXPIRED":
                info.expiresDate = PublishingNode.start
                (renewal.autoRenewStatus, renewal.expirationIntent) = (0, .customerCancelled)
            case "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED":
                info.expiresDate = PublishingNode.start
                renewal.isInBillingRetryPeriod = true
                if label.subtype == "GRACE_PERIOD" { renewal.gracePeriodExpiresDate = PublishingNode.start + .days(16) }
            default: break
            }
            facts.renewal = renewal
        }
        if label.type == "REFUND" || label.type == "REVOKE" { info.revocationDate = PublishingNode.start }
        facts.transactions = [info]
        let bundle = FactBundle(
            facts: facts, source: .notification, dedupKey: digest(2).bytes, contentDigest: digest(2),
            signedDate: PublishingNode.start,
            notification: NotificationIdentity(uuid: "\(id)", type: label.type, subtype: label.subtype))
        let key = StreamKey(kind: kind, id: name.rawValue, environment: .production, bundleID: bundleID)
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
    }
}
