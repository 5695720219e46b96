import JSONScanning
import Subscriptions

/// JWSRenewalInfoDecodedPayload. A member that does not apply is left out, as Apple does.
struct RenewalPayload {
    let renewal: RenewalSummary
    let profile: CustomerProfile
    let environment: AppStoreEnvironment
    let signedDate: Moment

    var json: [UInt8] {
        let terms = self.renewal.terms
        let transaction = self.renewal.transaction
        let nextProduct = terms.product ?? transaction.product
        var json = JSONWriter(reservingCapacity: 1_024)
        json.object { json in
            json.member("originalTransactionId", transaction.originalID)
            json.member("productId", transaction.product.id)
            json.member("autoRenewProductId", nextProduct.id)
            json.member("autoRenewStatus", terms.autoRenew ? 1 : 0)
            json.member("expirationIntent", ifPresent: terms.expirationIntent?.rawValue)
            json.member("isInBillingRetryPeriod", ifPresent: terms.isInBillingRetryPeriod)
            json.member("gracePeriodExpiresDate", ifPresent: terms.gracePeriodExpiresDate?.milliseconds)
            json.write(offer: terms.nextOffer)
            self.writeWinBackOffers(to: &json)
            json.member("renewalDate", ifPresent: transaction.expiresDate?.milliseconds)
            json.member("renewalPrice", terms.nextOffer?.price ?? nextProduct.price)
            json.member("currency", self.profile.storefront.currency)
            json.member("recentSubscriptionStartDate", ifPresent: terms.recentStart?.milliseconds)
            json.member("appAccountToken", ifPresent: self.profile.appAccountToken)
            json.member("appTransactionId", self.profile.appTransactionID)
            json.member("signedDate", self.signedDate.milliseconds)
            json.member("environment", self.environment.rawValue)
        }
        return json.bytes
    }

    private func writeWinBackOffers(to json: inout JSONWriter) {
        guard let identifiers = self.renewal.winBackOfferIDs else { return }
        json.member("eligibleWinBackOfferIds") { json in
            json.array { json in
                for identifier in identifiers { json.value(identifier) }
            }
        }
    }
}
