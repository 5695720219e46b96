import StrictJSON
import Subscriptions

/// JWSRenewalInfoDecodedPayload. A member that does not apply is left out, as Apple does.
struct RenewalPayload {
    let renewal: RenewalSummary
    let profile: CustomerProfile
    let environment: AppStoreEnvironment
    let signedDate: Moment

    var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 1_024)
        json.object { json in
            self.writeTerms(to: &json)
            self.writePrice(to: &json)
            self.writeCommitment(to: &json)
            if let commerce = self.transaction.advancedCommerce {
                AdvancedCommercePayload(commerce: commerce, transaction: self.transaction)
                    .write(renewal: self.terms, to: &json)
            }
            json.member("appAccountToken", ifPresent: self.profile.accountToken(for: self.transaction))
            json.member("appTransactionId", self.profile.appTransactionID)
            json.member("signedDate", self.signedDate.milliseconds)
            json.member("environment", self.environment.rawValue)
        }
        return json.bytes
    }

    private var terms: RenewalTerms { self.renewal.terms }
    private var transaction: StoreTransaction { self.renewal.transaction }
    private var nextProduct: Product { self.terms.product ?? self.transaction.product }

    private func writeTerms(to json: inout JSONWriter) {
        json.member("originalTransactionId", self.transaction.originalID)
        json.member("productId", self.transaction.product.id)
        json.member("autoRenewProductId", self.nextProduct.id)
        json.member("autoRenewStatus", self.terms.autoRenew ? 1 : 0)
        json.member("expirationIntent", ifPresent: self.terms.expirationIntent?.rawValue)
        json.member("isInBillingRetryPeriod", ifPresent: self.terms.isInBillingRetryPeriod)
        json.member("gracePeriodExpiresDate", ifPresent: self.terms.gracePeriodExpiresDate?.milliseconds)
        if let offers = self.renewal.winBackOfferIDs { json.member("eligibleWinBackOfferIds", offers) }
        json.member("renewalDate", ifPresent: self.transaction.expiresDate?.milliseconds)
        json.member("recentSubscriptionStartDate", ifPresent: self.terms.recentStart?.milliseconds)
    }

    private func writePrice(to json: inout JSONWriter) {
        json.write(offer: self.terms.nextOffer)
        json.member("priceIncreaseStatus", ifPresent: self.terms.priceIncrease?.rawValue)
        // A rise shows from its announcement, accepted or not.
        json.member("renewalPrice", self.terms.nextOffer?.price ?? self.fullPrice)
        json.member("currency", self.profile.storefront.currency)
    }

    /// Milliunits, once no offer applies any more.
    private var fullPrice: Int64 {
        if let price = self.terms.raisedPrice { return price }
        if self.nextProduct == self.transaction.product, let commerce = self.transaction.advancedCommerce {
            return commerce.price
        }
        return self.nextProduct.price
    }

    /// How the next renewal is paid for; nil when its product has no commitment. Who paid up front keeps to that.
    private var billingPlan: BillingPlanType? {
        guard self.nextProduct.plan?.commitment != nil else { return nil }
        let keepsPayingUpFront = self.nextProduct == self.transaction.product && self.transaction.commitment == nil
        return keepsPayingUpFront ? .billedUpFront : .monthly
    }

    /// What follows on the present month, and what on the present commitment.
    private func writeCommitment(to json: inout JSONWriter) {
        json.member("renewalBillingPlanType", ifPresent: self.billingPlan?.rawValue)
        guard let commitment = self.transaction.commitment else { return }
        json.member("commitmentInfo") { json in
            json.object { json in
                json.member("commitmentAutoRenewProductId", self.nextProduct.id)
                json.member(
                    "commitmentAutoRenewStatus", ifPresent: self.terms.commitmentAutoRenew.map { $0 ? 1 : 0 })
                json.member("commitmentRenewalBillingPlanType", ifPresent: self.billingPlan?.rawValue)
                json.member("commitmentRenewalDate", commitment.expiresDate.milliseconds)
                json.member(
                    "commitmentRenewalPrice", self.fullPrice * Int64(self.nextProduct.plan?.commitment ?? 1))
            }
        }
    }
}
