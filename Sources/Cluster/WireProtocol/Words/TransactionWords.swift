extension ProtoEnvironment: KnownWord {
    package static let words = WordTable<Self>([
        .production: "Production",
        .sandbox: "Sandbox",
        .xcode: "Xcode",
        .localTesting: "LocalTesting",
    ])
}

extension ProtoProductType: KnownWord {
    package static let words = WordTable<Self>([
        .autoRenewableSubscription: "Auto-Renewable Subscription",
        .nonRenewingSubscription: "Non-Renewing Subscription",
        .nonConsumable: "Non-Consumable",
        .consumable: "Consumable",
    ])
}

extension ProtoOwnership: KnownWord {
    package static let words = WordTable<Self>([
        .purchased: "PURCHASED",
        .familyShared: "FAMILY_SHARED",
        .assigned: "ASSIGNED",
    ])
}

extension ProtoTransactionReason: KnownWord {
    package static let words = WordTable<Self>([
        .purchase: "PURCHASE",
        .renewal: "RENEWAL",
    ])
}

extension ProtoRevocationType: KnownWord {
    package static let words = WordTable<Self>([
        .refundFull: "REFUND_FULL",
        .refundProrated: "REFUND_PRORATED",
        .familyRevoke: "FAMILY_REVOKE",
        .assignmentRevoke: "ASSIGNMENT_REVOKE",
    ])
}

extension ProtoOfferDiscountType: KnownWord {
    package static let words = WordTable<Self>([
        .freeTrial: "FREE_TRIAL",
        .payAsYouGo: "PAY_AS_YOU_GO",
        .payUpFront: "PAY_UP_FRONT",
        .oneTime: "ONE_TIME",
    ])
}

extension ProtoBillingPlanType: KnownWord {
    package static let words = WordTable<Self>([
        .billedUpfront: "BILLED_UPFRONT",
        .monthly: "MONTHLY",
    ])
}
