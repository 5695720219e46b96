/// A domain name for what an event changed. Open, because an older binary must read what a newer one wrote.
package struct Change: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

extension Change {
    // Purchases
    package static let subscribed = Change(rawValue: "subscribed")
    package static let resubscribed = Change(rawValue: "resubscribed")
    package static let oneTimePurchased = Change(rawValue: "oneTimePurchased")
    package static let recovered = Change(rawValue: "recovered")
    package static let upgraded = Change(rawValue: "upgraded")
    package static let renewed = Change(rawValue: "renewed")
    /// A renewal that brings another product: a scheduled change has taken effect.
    package static let productChanged = Change(rawValue: "productChanged")

    // Ends, and their undoing
    package static let refunded = Change(rawValue: "refunded")
    package static let familyAccessRevoked = Change(rawValue: "familyAccessRevoked")
    /// Revoked by Apple's status, or by time, without a new refund.
    package static let revoked = Change(rawValue: "revoked")
    package static let refundReversed = Change(rawValue: "refundReversed")
    package static let expired = Change(rawValue: "expired")
    package static let graceExpired = Change(rawValue: "graceExpired")
    package static let enteredGrace = Change(rawValue: "enteredGrace")
    package static let enteredRetry = Change(rawValue: "enteredRetry")
    /// The 60 days of billing retry are over, unpaid.
    package static let retryEnded = Change(rawValue: "retryEnded")
    package static let extended = Change(rawValue: "extended")
    package static let extensionFailed = Change(rawValue: "extensionFailed")

    // Intentions
    package static let offerRedeemed = Change(rawValue: "offerRedeemed")
    package static let downgradeScheduled = Change(rawValue: "downgradeScheduled")
    package static let downgradeCancelled = Change(rawValue: "downgradeCancelled")
    package static let autoRenewDisabled = Change(rawValue: "autoRenewDisabled")
    package static let autoRenewEnabled = Change(rawValue: "autoRenewEnabled")
    package static let priceIncreasePending = Change(rawValue: "priceIncreasePending")
    package static let priceIncreaseAccepted = Change(rawValue: "priceIncreaseAccepted")

    // Told by Apple; no state depends on them
    package static let consumptionRequested = Change(rawValue: "consumptionRequested")
    package static let refundDeclined = Change(rawValue: "refundDeclined")
    package static let metadataUpdated = Change(rawValue: "metadataUpdated")
    package static let migrated = Change(rawValue: "migrated")
    package static let priceChanged = Change(rawValue: "priceChanged")
    package static let massExtensionSummary = Change(rawValue: "massExtensionSummary")
    package static let externalPurchaseTokenCreated = Change(rawValue: "externalPurchaseTokenCreated")
    package static let externalPurchaseTokenReminded = Change(rawValue: "externalPurchaseTokenReminded")
    package static let externalPurchaseTokenUnreported = Change(rawValue: "externalPurchaseTokenUnreported")
    package static let consentRescinded = Change(rawValue: "consentRescinded")
    package static let testReceived = Change(rawValue: "testReceived")
    /// Recorded facts that change no answer.
    package static let noted = Change(rawValue: "noted")
    /// The facts behind watermarks that rose without an event: what the state row knew and the log did not.
    package static let watermarksRaised = Change(rawValue: "watermarksRaised")

    // Announcements
    package static let linked = Change(rawValue: "linked")
    package static let unlinked = Change(rawValue: "unlinked")
    package static let linkConflict = Change(rawValue: "linkConflict")
    package static let linkConflictClosed = Change(rawValue: "linkConflictClosed")
    package static let granted = Change(rawValue: "granted")
    package static let grantRevoked = Change(rawValue: "grantRevoked")
    package static let attributesChanged = Change(rawValue: "attributesChanged")
    /// Of a customer: everything of it is another one's.
    package static let moved = Change(rawValue: "moved")
    /// Of the other one, before and after that.
    package static let moveExpected = Change(rawValue: "moveExpected")
    package static let moveSettled = Change(rawValue: "moveSettled")
    /// Of either: a move that had begun does not go on.
    package static let moveGivenUp = Change(rawValue: "moveGivenUp")
    /// Of an identifier: it leads to a customer from now on, or to nobody.
    package static let registered = Change(rawValue: "registered")
    package static let released = Change(rawValue: "released")
    package static let anomaly = Change(rawValue: "anomaly")
    package static let confirmed = Change(rawValue: "confirmed")
    /// The paid period is over and the renewal is not known yet.
    package static let awaitingRenewal = Change(rawValue: "awaitingRenewal")
    /// A renewal bought ahead has begun.
    package static let periodStarted = Change(rawValue: "periodStarted")
    /// The same facts answer otherwise: rules, catalog or logic have changed.
    package static let reevaluated = Change(rawValue: "reevaluated")
    /// The subscription goes on under another original transaction id (Apple's `previousOriginalTransactionId`).
    package static let superseded = Change(rawValue: "superseded")
    /// Of a customer: nothing of it is left.
    package static let deleted = Change(rawValue: "deleted")
    /// A customer was deleted: the stream has forgotten what led there.
    package static let erased = Change(rawValue: "erased")
    /// Of a customer: the answer about a name of the catalog is another one.
    package static let entitlementGained = Change(rawValue: "entitlementGained")
    package static let entitlementLost = Change(rawValue: "entitlementLost")
    /// It is given by something else, or has another rank.
    package static let entitlementChanged = Change(rawValue: "entitlementChanged")
    /// Of a customer: it pays twice for a name of the catalog, or does no more.
    package static let duplicatePayment = Change(rawValue: "duplicatePayment")
    package static let duplicatePaymentClosed = Change(rawValue: "duplicatePaymentClosed")
}
