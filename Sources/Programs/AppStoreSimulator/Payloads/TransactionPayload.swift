import StrictJSON
import Subscriptions

/// JWSTransactionDecodedPayload. A member that does not apply is left out, as Apple does.
struct TransactionPayload {
    let transaction: StoreTransaction
    let profile: CustomerProfile
    let store: StoreIdentity
    let signedDate: Moment

    var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 1_536)
        json.object { json in
            self.writePurchase(to: &json)
            self.writeCustomer(to: &json)
            json.write(offer: self.transaction.offer)
            self.writeRevocation(to: &json)
            self.writeCommitment(to: &json)
            if let commerce = self.transaction.advancedCommerce {
                AdvancedCommercePayload(commerce: commerce, transaction: self.transaction).write(to: &json)
            }
            json.member("signedDate", self.signedDate.milliseconds)
            json.member("environment", self.store.environment.rawValue)
        }
        return json.bytes
    }

    private func writePurchase(to json: inout JSONWriter) {
        let transaction = self.transaction
        json.member("transactionId", transaction.id)
        json.member("originalTransactionId", transaction.originalID)
        json.member("previousOriginalTransactionId", ifPresent: transaction.previousOriginalID)
        json.member("webOrderLineItemId", ifPresent: transaction.webOrderLineItemID)
        json.member("bundleId", self.store.bundleID)
        json.member("productId", transaction.product.id)
        json.member("subscriptionGroupIdentifier", ifPresent: transaction.product.plan?.group)
        json.member("purchaseDate", transaction.purchaseDate.milliseconds)
        json.member("originalPurchaseDate", transaction.originalPurchaseDate.milliseconds)
        json.member("expiresDate", ifPresent: transaction.expiresDate?.milliseconds)
        json.member("quantity", transaction.quantity)
        json.member("type", transaction.product.type)
        json.member("isUpgraded", ifPresent: transaction.isUpgraded ? true : nil)
        json.member("transactionReason", transaction.reason.rawValue)
        json.member("price", transaction.price)
        json.member("currency", self.profile.storefront.currency)
    }

    private func writeCustomer(to json: inout JSONWriter) {
        json.member("appAccountToken", ifPresent: self.profile.accountToken(for: self.transaction))
        json.member("inAppOwnershipType", self.transaction.ownership.rawValue)
        json.member("storefront", self.profile.storefront.country)
        json.member("storefrontId", self.profile.storefront.id)
        json.member("appTransactionId", self.profile.appTransactionID)
    }

    private func writeRevocation(to json: inout JSONWriter) {
        guard let revocation = self.transaction.revocation else { return }
        json.member("revocationDate", revocation.date.milliseconds)
        json.member("revocationReason", revocation.reason)
        json.member("revocationType", revocation.kind.rawValue)
        json.member("revocationPercentage", ifPresent: revocation.percentage)
    }

    /// Only of products that can be paid in both ways (inferred: elsewhere there is nothing to tell apart).
    private func writeCommitment(to json: inout JSONWriter) {
        guard self.transaction.product.plan?.commitment != nil else { return }
        guard let commitment = self.transaction.commitment else {
            return json.member("billingPlanType", BillingPlanType.billedUpFront.rawValue)
        }
        json.member("billingPlanType", BillingPlanType.monthly.rawValue)
        json.member("commitmentInfo") { json in
            json.object { json in
                json.member("billingPeriodNumber", commitment.number)
                json.member("totalBillingPeriods", commitment.periods)
                json.member("commitmentExpiresDate", commitment.expiresDate.milliseconds)
                json.member("commitmentPrice", commitment.price)
            }
        }
    }
}

/// How a product with a commitment is paid for.
enum BillingPlanType: String {
    case billedUpFront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

extension CustomerProfile {
    /// Apps give theirs at the purchase; family members purchase nothing.
    func accountToken(for transaction: StoreTransaction) -> String? {
        transaction.ownership == .purchased ? transaction.appAccountToken ?? self.appAccountToken : nil
    }
}

extension JSONWriter {
    /// The four members by which transactions and renewals name an offer.
    mutating func write(offer: Offer?) {
        guard let offer else { return }
        self.member("offerType", offer.kind.rawValue)
        self.member("offerIdentifier", ifPresent: offer.identifier)
        self.member("offerDiscountType", offer.discount.rawValue)
        self.member("offerPeriod", offer.period.iso8601)
    }
}
