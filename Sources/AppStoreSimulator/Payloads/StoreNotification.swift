import Subscriptions

/// One notification of the App Store before it is signed.
struct StoreNotification: Sendable {
    let type: String
    let subtype: String?
    let uuid: String
    let signedDate: Moment
    /// nil for TEST.
    let purchase: Purchase?

    struct Purchase: Sendable {
        let profile: CustomerProfile
        /// The one the event is about.
        let transaction: StoreTransaction
        /// The subscription's at signing; nil for one-time purchases.
        var renewal: RenewalSummary?
        /// Apple's number at signing; nil for one-time purchases.
        var status: Int?
    }

    var originalTransactionID: String? { self.purchase?.transaction.originalID }
}
