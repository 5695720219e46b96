import Entitlements
import EventSourcing
import Foundation
import Subscriptions
import WireProtocol

extension PerennialClient.Change {
    /// nil for a stream that is neither a subscription nor a purchase, and for one that cannot be read.
    init?(_ image: SubscriptionImage) {
        guard let key = StreamKey(bytes: image.key), key.kind == .subscription || key.kind == .purchase,
            let row = try? EntitlementRow(decoding: image.entitlement)
        else { return nil }
        let now = Moment(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
        self.init(
            subject: Subject(
                originalTransactionID: key.id, environment: key.environment.rawValue, bundleID: key.bundleID.rawValue,
                isPurchase: key.kind == .purchase),
            entitlement: PerennialClient.Entitlement(
                row.answer(at: now), version: image.version.rawValue, isStale: false))
    }
}
