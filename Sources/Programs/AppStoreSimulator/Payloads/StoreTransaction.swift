package import Subscriptions

/// A purchase or a renewal as the store keeps it.
package struct StoreTransaction: Hashable, Sendable {
    package enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    /// Apple's `inAppOwnershipType`.
    package enum Ownership: String, Sendable {
        case purchased = "PURCHASED"
        case familyShared = "FAMILY_SHARED"
    }

    package struct Revocation: Hashable, Sendable {
        /// Apple's `revocationType`.
        package enum Kind: String, Sendable {
            case refundFull = "REFUND_FULL"
            case refundProrated = "REFUND_PRORATED"
            case familyRevoke = "FAMILY_REVOKE"
        }

        let date: Moment
        /// 1 an issue with the app, 0 another.
        let reason: Int64
        let kind: Kind
        /// Thousandths of a percent; nil when nothing was paid back to this customer.
        let percentage: Int64?

        package init(date: Moment, reason: Int64, kind: Kind, percentage: Int64?) {
            self.date = date
            self.reason = reason
            self.kind = kind
            self.percentage = percentage
        }
    }

    /// One payment of a plan that is paid monthly within a commitment.
    package struct Commitment: Hashable, Sendable {
        /// 1…`periods`.
        let number: Int64
        let periods: Int64
        let expiresDate: Moment
        /// Milliunits, of the whole.
        let price: Int64

        package init(number: Int64, periods: Int64, expiresDate: Moment, price: Int64) {
            self.number = number
            self.periods = periods
            self.expiresDate = expiresDate
            self.price = price
        }
    }

    let id: String
    let originalID: String
    /// nil for one-time purchases.
    package var webOrderLineItemID: String?
    let product: Product
    package var quantity: Int64
    let purchaseDate: Moment
    let originalPurchaseDate: Moment
    /// nil for one-time purchases.
    package var expiresDate: Moment?
    let reason: Reason
    package var ownership: Ownership
    package var offer: Offer?
    /// Milliunits, for the whole quantity.
    let price: Int64
    package var commitment: Commitment?
    /// Of a subscription that was migrated to Advanced Commerce.
    package var advancedCommerce: AdvancedCommerce?
    /// The `originalID` before, when the migration began a new chain.
    package var previousOriginalID: String?
    package var isUpgraded: Bool
    package var revocation: Revocation?
    /// What the publisher has set by the API; nil: what the app gave at the purchase, if anything.
    package var appAccountToken: String?

    package init(
        id: String, originalID: String, webOrderLineItemID: String? = nil, product: Product, quantity: Int64 = 1,
        purchaseDate: Moment, originalPurchaseDate: Moment, expiresDate: Moment? = nil, reason: Reason,
        ownership: Ownership = .purchased, offer: Offer? = nil, price: Int64, commitment: Commitment? = nil,
        advancedCommerce: AdvancedCommerce? = nil, previousOriginalID: String? = nil, isUpgraded: Bool = false,
        revocation: Revocation? = nil, appAccountToken: String? = nil
    ) {
        self.id = id
        self.originalID = originalID
        self.webOrderLineItemID = webOrderLineItemID
        self.product = product
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        self.reason = reason
        self.ownership = ownership
        self.offer = offer
        self.price = price
        self.commitment = commitment
        self.advancedCommerce = advancedCommerce
        self.previousOriginalID = previousOriginalID
        self.isUpgraded = isUpgraded
        self.revocation = revocation
        self.appAccountToken = appAccountToken
    }
}

/// What Advanced Commerce adds to payloads; the description is the publisher's to change.
package struct AdvancedCommerce: Hashable, Sendable {
    let requestReferenceID: String
    var displayName: String
    var description: String
    var price: Int64

    package init(requestReferenceID: String, displayName: String, description: String, price: Int64) {
        self.requestReferenceID = requestReferenceID
        self.displayName = displayName
        self.description = description
        self.price = price
    }

    /// The customer has another product from now on.
    mutating func move(to product: Product) {
        self.displayName = product.id
        self.price = product.price
    }
}
