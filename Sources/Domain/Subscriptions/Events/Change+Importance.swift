extension Change {
    /// The first that applies is the event's `kind`: what ends access comes before what was paid, since a bundle that says
    /// both leaves nobody entitled.
    static let byImportance: [Change] = [
        .refunded, .familyAccessRevoked, .revoked, .expired, .graceExpired, .enteredRetry, .subscribed, .resubscribed,
        .oneTimePurchased, .recovered, .upgraded, .renewed, .refundReversed, .enteredGrace, .extended, .extensionFailed,
        .downgradeScheduled, .downgradeCancelled, .offerRedeemed, .priceIncreasePending, .priceIncreaseAccepted,
        .autoRenewDisabled, .autoRenewEnabled, .consumptionRequested, .refundDeclined, .metadataUpdated, .migrated,
        .priceChanged, .massExtensionSummary, .externalPurchaseTokenCreated, .externalPurchaseTokenReminded,
        .externalPurchaseTokenUnreported, .consentRescinded, .testReceived, .productChanged, .noted,
    ]

    /// Something was paid for.
    static let purchases: Set<Change> = [.subscribed, .resubscribed, .recovered, .upgraded, .renewed]

    /// Purchases by which a customer chooses a product anew, whatever was set for the next renewal.
    static let choices: Set<Change> = [.subscribed, .resubscribed, .upgraded]

    /// What the customer, or a price, has set for the next renewal.
    static let intentions: Set<Change> = [
        .downgradeScheduled, .downgradeCancelled, .offerRedeemed, .priceIncreasePending, .priceIncreaseAccepted,
        .autoRenewDisabled, .autoRenewEnabled,
    ]
}
