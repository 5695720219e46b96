import AppStoreSimulator
import Foundation
import Subscriptions
import Testing

/// Which members are there and which are not, by type of notification and state of the customer.
@Suite struct PayloadShapeTests {
    /// What this crowd lives through.
    private static let types: Set = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY",
        "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY",
        "EXPIRED/BILLING_RETRY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF", "REFUND", "ONE_TIME_CHARGE",
        "CONSUMPTION_REQUEST", "EXPIRED", "EXPIRED/PRICE_INCREASE", "EXPIRED/PRODUCT_NOT_FOR_SALE", "MIGRATION",
        "METADATA_UPDATE", "PRICE_CHANGE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "OFFER_REDEEMED",
        "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE",
        "RENEWAL_EXTENDED",
    ]

    /// Made once: every test looks at the same crowd. A list for each customer, in the order of signing.
    private static let crowd = Result {
        let factory = try LifecycleFactory(seed: 11)
        return try (0..<200).map { try factory.lifecycles(ofCustomer: $0).flatMap(\.notifications) }
            .map { told in try told.sorted { $0.signedDate < $1.signedDate }.map(DecodedNotification.init) }
    }

    private let customers: [[DecodedNotification]]
    private let told: [DecodedNotification]

    init() throws {
        self.customers = try Self.crowd.get()
        self.told = Array(self.customers.joined())
    }

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
        let reasons = [
            "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
        ]
        for notification in self.told {
            var expected: Set = ["appAppleId", "bundleId", "bundleVersion", "environment", "signedTransactionInfo"]
            if notification.isAboutSubscription { expected.formUnion(["signedRenewalInfo", "status"]) }
            if notification.type == "CONSUMPTION_REQUEST" { expected.insert("consumptionRequestReason") }
            #expect(Set(notification.data.keys) == expected, "\(notification.name)")
            guard let reason = notification.data["consumptionRequestReason"] as? String else { continue }
            #expect(reasons.contains(reason))
        }
    }

    @Test func transactionsHaveWhatAppliesAndNothingElse() throws {
        for customer in self.customers {
            var memory = FamilyMemory()
            for notification in customer {
                let stream = memory.hear(notification)
                let transaction = try #require(notification.transaction)
                #expect(Set(transaction.keys) == stream.transactionMembers(of: notification), "\(notification.name)")
                #expect(
                    notification.members(Set(TransactionMemory.constant), of: transaction)
                        == stream.transaction(notification)?.told, "\(notification.name)")
                #expect(
                    notification.members(Set(TransactionMemory.revocation), of: transaction)
                        == stream.transaction(notification)?.revocation, "\(notification.name)")
            }
        }
    }

    @Test func pricesAndOffersAreThoseOfTheProduct() throws {
        for notification in self.told {
            let transaction = try #require(notification.transaction)
            let product = try #require(Scenario.default.product(transaction["productId"] as? String ?? ""))
            #expect(transaction["type"] as? String == product.type)
            #expect(transaction["subscriptionGroupIdentifier"] as? String == product.plan?.group)
            if notification.hasOffer(transaction) {
                let offer = try #require(product.offer(in: transaction))
                #expect(transaction["price"] as? Int64 == offer.price || notification.isShared)
            }
            guard let renewal = notification.renewal else {
                #expect(transaction["price"] as? Int64 == product.price * (transaction["quantity"] as? Int64 ?? 0))
                continue
            }
            let next = try #require(Scenario.default.product(renewal["autoRenewProductId"] as? String ?? ""))
            if notification.hasOffer(renewal) {
                #expect(renewal["renewalPrice"] as? Int64 == next.offer(in: renewal)?.price, "\(notification.name)")
            }
        }
    }

    @Test func renewalsAreAsAnnounced() {
        let streams = Dictionary(grouping: self.told) { $0.transaction?["originalTransactionId"] as? String }
        for stream in streams.values { #expect(stream.surprises.isEmpty) }
    }

    @Test func renewalsHaveWhatAppliesAndNothingElse() throws {
        for customer in self.customers {
            var memory = FamilyMemory()
            for notification in customer {
                let stream = memory.hear(notification)
                guard let renewal = notification.renewal else { continue }
                #expect(Set(renewal.keys) == stream.renewalMembers(of: notification), "\(notification.name)")
                #expect(renewal["expirationIntent"] as? Int == stream.intent, "\(notification.name)")
                #expect(renewal["isInBillingRetryPeriod"] as? Bool == stream.isInRetry, "\(notification.name)")
                #expect(renewal["gracePeriodExpiresDate"] as? Int64 == stream.graceEnd, "\(notification.name)")
                #expect(renewal["priceIncreaseStatus"] as? Int == stream.priceIncrease, "\(notification.name)")
                #expect(
                    renewal["appAccountToken"] as? String == notification.transaction?["appAccountToken"] as? String)
            }
        }
    }

    @Test func statusFitsTheLife() {
        for customer in self.customers {
            var memory = FamilyMemory()
            for notification in customer where notification.isAboutSubscription {
                let status = memory.hear(notification).status
                #expect(notification.data["status"] as? Int == status, "\(notification.name)")
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

    /// A customer has one token, or none, for all that they purchase; a family has none.
    @Test func someCustomersHaveAnAccountToken() throws {
        var tokens: Set<String?> = []
        for customer in self.customers {
            let purchased = Set(customer.filter { !$0.isShared }.map { $0.transaction?["appAccountToken"] as? String })
            #expect(purchased.count == 1)
            #expect(customer.allSatisfy { !$0.isShared || $0.transaction?["appAccountToken"] == nil })
            tokens.formUnion(purchased)
        }
        #expect(tokens.contains(nil))
        #expect(tokens.compactMap(\.self).count > 50)
        #expect(tokens.compactMap(\.self).allSatisfy { UUID(uuidString: $0) != nil })
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
