import Subscriptions

/// A notification from the moment it was decided on. It is signed when it is sent and when it is asked for again: what is
/// kept of it is small, and there is one of it however many keep it.
final class Dispatch: Deliverable {
    let notification: StoreNotification

    init(_ notification: StoreNotification) { self.notification = notification }

    var uuid: String { self.notification.uuid }
    var originalTransactionID: String? { self.notification.originalTransactionID }
    var signedDate: Moment { self.notification.signedDate }
    var telling: Telling? { self.notification.telling }

    /// The customer it is about, by their `appTransactionId`; nil when it is about none.
    var customer: String? {
        switch self.notification.content {
        case .purchase(let purchase): purchase.profile.appTransactionID
        case .appTransaction(let profile, _): profile.appTransactionID
        case .extensionSummary, .externalPurchaseToken, .test: nil
        }
    }
}
