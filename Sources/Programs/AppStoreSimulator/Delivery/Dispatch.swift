import Subscriptions
import Synchronization

/// A notification from the moment it was decided on. Its text is made when it is sent and when it is asked for again, with
/// the signatures of the first time: what is kept of it is small, and there is one of it however many keep it.
final class Dispatch: Deliverable {
    let notification: StoreNotification
    private let signatures = Mutex(Signatures())

    init(_ notification: StoreNotification) { self.notification = notification }

    var uuid: String { self.notification.uuid }
    var originalTransactionID: String? { self.notification.originalTransactionID }
    var signedDate: Moment { self.notification.signedDate }
    var telling: Telling? { self.notification.telling }

    /// The same text each time, for as long as the process lives.
    ///
    /// - Throws: only when the system's randomness fails.
    func signed(by signer: NotificationSigner) throws -> SignedNotification {
        try self.signatures.withLock { signatures in
            signatures.rewind()
            return try signer.sign(self.notification, &signatures)
        }
    }

    /// The customer it is about, by their `appTransactionId`; nil when it is about none.
    var customer: String? {
        switch self.notification.content {
        case .purchase(let purchase): purchase.profile.appTransactionID
        case .appTransaction(let profile, _): profile.appTransactionID
        case .extensionSummary, .externalPurchaseToken, .test: nil
        }
    }
}
