/// What Apple's notification types and subtypes are called here. A label never decides: facts do. It names a purchase
/// whose predecessor is not known, and what no fact can show.
struct NotificationLabel: Hashable {
    let change: Change
    /// The notification itself is the news: no kept fact could tell it.
    let isNews: Bool

    /// nil for types that are not known: their facts count, and they are `noted`.
    init?(_ notification: NotificationIdentity) {
        let (type, subtype) = (notification.type, notification.subtype)
        if let change = Self.byTypeAndSubtype[type]?[subtype ?? ""] ?? Self.byTypeAndSubtype[type]?["*"] {
            (self.change, self.isNews) = (change, false)
        } else if let change = Self.news[type]?[subtype ?? ""] ?? Self.news[type]?["*"] {
            (self.change, self.isNews) = (change, true)
        } else {
            return nil
        }
    }

    /// "" stands for no subtype, "*" for any other.
    private static let byTypeAndSubtype: [String: [String: Change]] = [
        "SUBSCRIBED": ["RESUBSCRIBE": .resubscribed, "*": .subscribed],
        "DID_RENEW": ["BILLING_RECOVERY": .recovered, "*": .renewed],
        "DID_FAIL_TO_RENEW": ["GRACE_PERIOD": .enteredGrace, "*": .enteredRetry],
        "GRACE_PERIOD_EXPIRED": ["*": .graceExpired],
        "EXPIRED": ["*": .expired],
        "DID_CHANGE_RENEWAL_STATUS": [
            "AUTO_RENEW_ENABLED": .autoRenewEnabled, "AUTO_RENEW_DISABLED": .autoRenewDisabled,
        ],
        "DID_CHANGE_RENEWAL_PREF": [
            "UPGRADE": .upgraded, "DOWNGRADE": .downgradeScheduled, "": .downgradeCancelled,
        ],
        "OFFER_REDEEMED": ["UPGRADE": .upgraded, "DOWNGRADE": .downgradeScheduled, "*": .offerRedeemed],
        "PRICE_INCREASE": ["PENDING": .priceIncreasePending, "ACCEPTED": .priceIncreaseAccepted],
        "REFUND": ["*": .refunded],
        "REFUND_REVERSED": ["*": .refundReversed],
        "REVOKE": ["*": .familyAccessRevoked],
        "RENEWAL_EXTENDED": ["*": .extended],
        "ONE_TIME_CHARGE": ["*": .oneTimePurchased],
    ]

    private static let news: [String: [String: Change]] = [
        "REFUND_DECLINED": ["*": .refundDeclined],
        "CONSUMPTION_REQUEST": ["*": .consumptionRequested],
        "RENEWAL_EXTENSION": ["SUMMARY": .massExtensionSummary, "FAILURE": .extensionFailed],
        "EXTERNAL_PURCHASE_TOKEN": [
            "CREATED": .externalPurchaseTokenCreated,
            "ACTIVE_TOKEN_REMINDER": .externalPurchaseTokenReminded,
            "UNREPORTED": .externalPurchaseTokenUnreported,
        ],
        "RESCIND_CONSENT": ["*": .consentRescinded],
        "METADATA_UPDATE": ["*": .metadataUpdated],
        "MIGRATION": ["*": .migrated],
        "MIGRATE": ["*": .migrated],
        "PRICE_CHANGE": ["*": .priceChanged],
        "TEST": ["*": .testReceived],
    ]
}
