/// What zstd may refer back to from the first byte on: the key names and usual values of Apple's payloads, rare ones
/// first, since the end of a dictionary is the cheapest to refer to.
///
/// A dictionary that rows were written with never changes (a test holds its hash): improve it under a new version.
enum EvidenceDictionary {
    static let version1 = Array(
        (Self.rare + Self.values + Self.envelope + Self.renewal + Self.transaction)
            .replacing("\n", with: "").utf8)

    /// Advanced commerce, commitments, and the notifications that are not about a subscription.
    private static let rare = """
        "advancedCommerceInfo":{"consistencyToken":"","descriptors":{"description":"","displayName":""},"estimatedTax":
        ,"period":"P1M","requestReferenceId":"","taxCode":"","taxExclusivePrice":,"taxRate":"","items":[{"SKU":"",
        "offer":{"period":"","periodCount":1,"price":,"reason":"ACQUISITION"},"refunds":[{"refundAmount":,"refundDate":
        ,"refundReason":"UNINTENDED_PURCHASE","refundType":"FULL"}],"priceIncreaseInfo":{"dependentSKUs":["status":
        "SCHEDULED","RETENTION"
        "summary":{"requestIdentifier":"","storefrontCountryCodes":["USA","CAN","MEX"],"succeededCount":,"failedCount":
        "externalPurchaseToken":{"externalPurchaseId":"SANDBOX_","tokenCreationDate":,"tokenType":"SERVICES",
        "tokenExpirationDate":"ACQUISITION"
        "appData":{"signedAppTransactionInfo":"","receiptType":"Production","originalApplicationVersion":"1.0",
        "originalPlatform":"iOS","macOS","tvOS","visionOS","preorderDate":,"receiptCreationDate":,"applicationVersion":"",
        "versionExternalIdentifier":,"deviceVerification":"","deviceVerificationNonce":"","requestDate":
        "commitmentInfo":{"billingPeriodNumber":1,"totalBillingPeriods":12,"commitmentExpiresDate":,"commitmentPrice":
        ,"commitmentAutoRenewProductId":"","commitmentAutoRenewStatus":1,"commitmentRenewalBillingPlanType":"MONTHLY",
        "commitmentRenewalDate":,"commitmentRenewalPrice":,"billingPlanType":"BILLED_UPFRONT","renewalBillingPlanType":"
        "previousOriginalTransactionId":"","consumptionRequestReason":"UNINTENDED_PURCHASE","FULFILLMENT_ISSUE",
        "UNSATISFIED_WITH_PURCHASE","LEGAL","OTHER"
        """

    /// Types, subtypes and other enumerated values.
    private static let values = """
        "EXTERNAL_PURCHASE_TOKEN","subtype":"ACTIVE_TOKEN_REMINDER","UNREPORTED","CREATED","RESCIND_CONSENT",
        "METADATA_UPDATE","MIGRATION","PRICE_CHANGE","TEST","ONE_TIME_CHARGE","RENEWAL_EXTENDED","RENEWAL_EXTENSION",
        "SUMMARY","FAILURE","CONSUMPTION_REQUEST","REVOKE","REFUND_DECLINED","REFUND_REVERSED","REFUND",
        "PRODUCT_NOT_FOR_SALE","PRICE_INCREASE","subtype":"PENDING","ACCEPTED","OFFER_REDEEMED","UPGRADE","DOWNGRADE",
        "GRACE_PERIOD_EXPIRED","DID_FAIL_TO_RENEW","subtype":"GRACE_PERIOD","EXPIRED","subtype":"BILLING_RETRY",
        "VOLUNTARY","DID_CHANGE_RENEWAL_PREF","SUBSCRIBED","subtype":"RESUBSCRIBE","INITIAL_BUY",
        "DID_CHANGE_RENEWAL_STATUS","subtype":"AUTO_RENEW_ENABLED","AUTO_RENEW_DISABLED","BILLING_RECOVERY",
        "Non-Consumable","Consumable","Non-Renewing Subscription","FAMILY_SHARED","ASSIGNED","REFUND_PRORATED",
        "FAMILY_REVOKE","isUpgraded":true,"revocationReason":0,"revocationType":"REFUND_FULL","revocationDate":17,
        "revocationPercentage":100000,"PAY_AS_YOU_GO","PAY_UP_FRONT","ONE_TIME","offerPeriod":"P1W","P2W","P3D","P1Y",
        "Sandbox","GBR","DEU","FRA","JPN","CHN","AUS","CAN","storefrontId":"143444","143443","143465","143462","EUR",
        "GBP","JPY","CNY","AUD","CAD","PURCHASE"
        """

    private static let envelope = """
        {"notificationType":"DID_RENEW","notificationUUID":"","data":{"appAppleId":,"bundleId":"com.example.",
        "bundleVersion":"1","environment":"Production","signedTransactionInfo":"","signedRenewalInfo":"","status":1},
        "version":"2.0","signedDate":17
        """

    private static let renewal = """
        {"expirationIntent":1,"originalTransactionId":"2000000","autoRenewProductId":"com.","productId":"com.",
        "autoRenewStatus":0,"isInBillingRetryPeriod":false,"isInBillingRetryPeriod":true,"gracePeriodExpiresDate":17,
        "priceIncreaseStatus":0,"eligibleWinBackOfferIds":["offerIdentifier":"","offerType":1,"offerDiscountType":
        "FREE_TRIAL","offerPeriod":"P1M","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD","signedDate":17,
        "environment":"Production","recentSubscriptionStartDate":17,"renewalDate":17,"appTransactionId":"70,
        "appAccountToken":"
        """

    private static let transaction = """
        {"transactionId":"2000000","originalTransactionId":"2000000","webOrderLineItemId":"2000000","bundleId":"com.
        ","productId":"com.","subscriptionGroupIdentifier":"2","purchaseDate":17,"originalPurchaseDate":17
        ,"expiresDate":17,"quantity":1,"type":"Auto-Renewable Subscription","appAccountToken":"
        ","inAppOwnershipType":"PURCHASED","signedDate":17,"environment":"Production","transactionReason":"RENEWAL",
        "storefront":"USA","storefrontId":"143441","price":9990,"currency":"USD","appTransactionId":"70"}
        """
}
