package import Subscriptions

/// One notification of the App Store before it is signed.
package struct StoreNotification: Sendable {
    let type: String
    let subtype: String?
    let uuid: String
    let signedDate: Moment
    let content: Content

    package init(type: String, subtype: String?, uuid: String, signedDate: Moment, content: Content) {
        self.type = type
        self.subtype = subtype
        self.uuid = uuid
        self.signedDate = signedDate
        self.content = content
    }

    /// Of the four parts that an envelope may carry, the one that it does; none for a test.
    package enum Content: Sendable {
        case purchase(Purchase)
        case extensionSummary(ExtensionSummary)
        case externalPurchaseToken(ExternalPurchaseToken)
        case appTransaction(CustomerProfile, originalPurchaseDate: Moment)
        case test
    }

    package struct Purchase: Sendable {
        let profile: CustomerProfile
        /// The one the event is about.
        let transaction: StoreTransaction
        /// The subscription's at signing; nil for one-time purchases.
        var renewal: RenewalSummary?
        /// Apple's number at signing; nil for one-time purchases.
        var status: Int?
        /// Of a CONSUMPTION_REQUEST.
        var consumptionRequestReason: String?

        package init(
            profile: CustomerProfile, transaction: StoreTransaction, renewal: RenewalSummary? = nil,
            status: Int? = nil, consumptionRequestReason: String? = nil
        ) {
            self.profile = profile
            self.transaction = transaction
            self.renewal = renewal
            self.status = status
            self.consumptionRequestReason = consumptionRequestReason
        }
    }

    /// `summary`: how the extension of everybody's renewal date went.
    package struct ExtensionSummary: Hashable, Sendable {
        let requestIdentifier: String
        let productID: String
        /// nil: all.
        let storefronts: [String]?
        let succeeded: Int64
        let failed: Int64

        package init(
            requestIdentifier: String, productID: String, storefronts: [String]?, succeeded: Int64, failed: Int64
        ) {
            self.requestIdentifier = requestIdentifier
            self.productID = productID
            self.storefronts = storefronts
            self.succeeded = succeeded
            self.failed = failed
        }
    }

    /// `externalPurchaseToken` of a custom link.
    package struct ExternalPurchaseToken: Hashable, Sendable {
        package enum Kind: String, Sendable {
            case services = "SERVICES"
            case acquisition = "ACQUISITION"
        }

        /// Without the prefix that marks the sandbox.
        let id: String
        let created: Moment
        let expires: Moment
        let kind: Kind

        package init(id: String, created: Moment, expires: Moment, kind: Kind) {
            self.id = id
            self.created = created
            self.expires = expires
            self.kind = kind
        }
    }

    var purchase: Purchase? {
        guard case .purchase(let purchase) = self.content else { return nil }
        return purchase
    }

    var originalTransactionID: String? { self.purchase?.transaction.originalID }

    /// Where it happened, if that is not where the simulated app sells.
    var environment: AppStoreEnvironment? {
        switch self.content {
        case .purchase(let purchase): purchase.profile.environment
        case .appTransaction(let profile, _): profile.environment
        case .extensionSummary, .externalPurchaseToken, .test: nil
        }
    }

    /// nil for what is not about a purchase.
    var telling: Telling? {
        self.purchase.map { purchase in
            Telling(
                uuid: self.uuid, type: self.type, subtype: self.subtype, signedDate: self.signedDate,
                transactionID: purchase.transaction.id)
        }
    }
}
