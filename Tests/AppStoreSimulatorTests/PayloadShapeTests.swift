import AppStoreSimulator
import Foundation
import Subscriptions
import Testing

/// Which members are there and which are not, by type of notification and state of the customer.
@Suite struct PayloadShapeTests {
    private static let alwaysInTransaction: Set = [
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
        "quantity", "type", "inAppOwnershipType", "signedDate", "environment", "storefront", "storefrontId",
        "transactionReason", "price", "currency", "appTransactionId",
    ]
    private static let subscriptionOnly: Set = ["webOrderLineItemId", "subscriptionGroupIdentifier", "expiresDate"]
    private static let sometimesInTransaction: Set = [
        "appAccountToken", "isUpgraded", "revocationDate", "revocationReason", "revocationType", "revocationPercentage",
        "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
    ]
    private static let alwaysInRenewal: Set = [
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "renewalDate", "renewalPrice",
        "currency", "recentSubscriptionStartDate", "appTransactionId", "signedDate", "environment",
    ]
    private static let sometimesInRenewal: Set = [
        "expirationIntent", "isInBillingRetryPeriod", "gracePeriodExpiresDate", "offerType", "offerIdentifier",
        "offerDiscountType", "offerPeriod", "eligibleWinBackOfferIds", "appAccountToken",
    ]
    /// What the customers of the first part live through.
    private static let types: Set = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY",
        "EXPIRED/BILLING_RETRY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF", "REFUND", "ONE_TIME_CHARGE",
    ]

    /// Made once: every test looks at the same crowd.
    private static let signed = Result {
        let factory = try LifecycleFactory(seed: 11)
        return try (0..<200).flatMap { try factory.lifecycles(ofCustomer: $0) }.flatMap(\.notifications)
    }

    private let told: [DecodedNotification]

    init() throws { self.told = try Self.signed.get().map(DecodedNotification.init) }

    @Test func everyTypeOccurs() {
        #expect(Set(self.told.map(\.name)) == Self.types)
    }

    @Test func envelopesAreWhole() {
        for notification in self.told {
            let keys = Set(notification.envelope.keys)
            #expect(
                keys.subtracting(["subtype"]) == [
                    "notificationType", "notificationUUID", "data", "version", "signedDate",
                ])
            #expect(notification.envelope["version"] as? String == "2.0")
            #expect(UUID(uuidString: notification.envelope["notificationUUID"] as? String ?? "") != nil)
        }
    }

    @Test func dataHasRenewalAndStatusForSubscriptionsOnly() {
        for notification in self.told {
            var expected: Set = ["appAppleId", "bundleId", "bundleVersion", "environment", "signedTransactionInfo"]
            if notification.isAboutSubscription { expected.formUnion(["signedRenewalInfo", "status"]) }
            #expect(Set(notification.data.keys) == expected, "\(notification.name)")
        }
    }

    @Test func transactionsHaveWhatAppliesAndNothingElse() throws {
        for notification in self.told {
            let transaction = try #require(notification.transaction)
            let keys = Set(transaction.keys)
            let required =
                notification.isAboutSubscription
                ? Self.alwaysInTransaction.union(Self.subscriptionOnly) : Self.alwaysInTransaction
            #expect(keys.isSuperset(of: required), "\(notification.name): \(required.subtracting(keys))")
            #expect(
                keys.subtracting(required).isSubset(of: Self.sometimesInTransaction), "\(notification.name): \(keys)")

            // A refund's members come together, and only with a refund.
            let revocation: Set = ["revocationDate", "revocationReason", "revocationType", "revocationPercentage"]
            #expect(keys.intersection(revocation) == (notification.type == "REFUND" ? revocation : []))
            // An introductory offer has no identifier.
            if keys.contains("offerType") {
                #expect(keys.isSuperset(of: ["offerDiscountType", "offerPeriod"]))
                #expect((transaction["offerType"] as? Int == 1) == !keys.contains("offerIdentifier"))
            }
            if transaction["offerDiscountType"] as? String == "FREE_TRIAL" {
                #expect(transaction["price"] as? Int == 0)
            }
            #expect(transaction["isUpgraded"] as? Bool != false)
        }
    }

    @Test func renewalsHaveWhatAppliesAndNothingElse() throws {
        for notification in self.told where notification.isAboutSubscription {
            let renewal = try #require(notification.renewal)
            let keys = Set(renewal.keys)
            #expect(keys.isSuperset(of: Self.alwaysInRenewal), "\(notification.name)")
            #expect(
                keys.subtracting(Self.alwaysInRenewal).isSubset(of: Self.sometimesInRenewal), "\(notification.name)")

            let status = try #require(notification.data["status"] as? Int)
            #expect(keys.contains("gracePeriodExpiresDate") == (status == 4), "\(notification.name)")
            #expect(
                (renewal["isInBillingRetryPeriod"] as? Bool == true) == [3, 4].contains(status), "\(notification.name)")
            #expect(renewal["expirationIntent"] as? Int == Self.intent(of: notification, status: status))
            if keys.contains("eligibleWinBackOfferIds") { #expect([2, 5].contains(status)) }
        }
    }

    private static func intent(of notification: DecodedNotification, status: Int) -> Int? {
        switch (notification.name, status) {
        case ("EXPIRED/VOLUNTARY", _): 1
        case ("EXPIRED/BILLING_RETRY", _), (_, 3), (_, 4): 2
        default: nil
        }
    }

    @Test func statusFitsTheType() throws {
        let expected: [String: Set<Int>] = [
            "SUBSCRIBED": [1], "DID_RENEW": [1], "GRACE_PERIOD_EXPIRED": [3], "EXPIRED": [2],
            "DID_CHANGE_RENEWAL_PREF": [1], "DID_CHANGE_RENEWAL_STATUS": [1, 3, 4], "REFUND": [1, 5],
        ]
        for notification in self.told where notification.isAboutSubscription {
            let status = try #require(notification.data["status"] as? Int)
            if notification.type == "DID_FAIL_TO_RENEW" {
                #expect(status == (notification.subtype == nil ? 3 : 4))
            } else {
                #expect(try #require(expected[notification.type]).contains(status), "\(notification.name) \(status)")
            }
        }
    }

    @Test func renewalsAreSignedWithinTheLastDayOfThePeriod() throws {
        for notification in self.told where notification.name == "DID_RENEW" {
            let start = try #require(notification.transaction?["purchaseDate"] as? Int64)
            let signed = try #require(notification.envelope["signedDate"] as? Int64)
            #expect((0...86_400_000).contains(start - signed))
        }
    }

    @Test func someCustomersHaveAnAccountToken() {
        let tokens = Set(self.told.map { $0.transaction?["appAccountToken"] as? String })
        #expect(tokens.contains(nil))
        #expect(tokens.compactMap { $0 }.count > 50)
        #expect(tokens.compactMap { $0 }.allSatisfy { UUID(uuidString: $0) != nil })
    }

    @Test func sandboxNamesNoApp() throws {
        let store = StoreIdentity(environment: .sandbox)
        for (_, notification) in try LifecycleFactory(store: store).told(byCustomers: 5) {
            #expect(notification.data["appAppleId"] == nil)
            #expect(notification.data["environment"] as? String == "Sandbox")
            #expect(notification.transaction?["environment"] as? String == "Sandbox")
        }
    }

    @Test func aTestNotificationSpeaksOfNobody() throws {
        let notification = try DecodedNotification(LifecycleFactory().testNotification())
        #expect(notification.type == "TEST")
        #expect(Set(notification.data.keys) == ["appAppleId", "bundleId", "environment"])
    }
}

extension DecodedNotification {
    fileprivate var isAboutSubscription: Bool {
        self.transaction?["type"] as? String == "Auto-Renewable Subscription"
    }
}
