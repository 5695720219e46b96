import Entitlements
import EventLog
import Foundation
import Mirroring
import Subscriptions
import WireProtocol

/// A change that has come, and waits for its reader.
struct UnreadChange {
    private let key: StreamKey
    private let version: StreamVersion
    private let row: EntitlementRow
    private let customers: [PerennialClient.CustomerKey]

    /// - Parameter customers: whose answers it may have changed.
    /// - Returns: nil for a stream that is neither a subscription nor a purchase.
    /// - Throws: when it cannot be read, as when a newer node has written it.
    init?(_ image: SubscriptionImage, of customers: [PerennialClient.CustomerKey]) throws(MirrorError) {
        if let kind = image.key.first, StreamKind(rawValue: kind)?.givesAccess != true { return nil }
        guard let key = StreamKey(bytes: image.key) else {
            throw MirrorError(.malformed, "the key of a changed stream cannot be read")
        }
        self.key = key
        self.version = image.version
        self.customers = customers
        do { self.row = try EntitlementRow(decoding: image.entitlement) } catch {
            throw MirrorError(.malformed, "the row of a changed stream cannot be read: \(error)")
        }
    }

    /// As it is at this moment.
    var change: PerennialClient.Change {
        let now = Moment(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
        return PerennialClient.Change(
            subject: PerennialClient.Change.Subject(
                originalTransactionID: self.key.id, environment: self.key.environment.rawValue,
                bundleID: self.key.bundleID.rawValue, isPurchase: self.key.kind == .purchase),
            entitlement: PerennialClient.Entitlement(
                self.row.answer(at: now), version: self.version.rawValue, isStale: false),
            customers: self.customers)
    }
}
