import EventLog
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

extension SubscriptionView {
    /// The subscription or purchase of the contract: every field is there, null where Apple has not said.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("originalTransactionId", self.key.id)
            json.member("bundleId", self.key.bundleID.rawValue)
            json.member("environment", self.key.environment.rawValue)
            let snapshot = self.snapshot
            json.member("state", snapshot?.state.rawValue)
            json.member("entitled", snapshot?.entitled ?? false)
            json.member("validUntil", snapshot?.validUntil)
            json.member("awaitingRenewal", snapshot?.awaitingRenewal ?? false)
            json.member("incomplete", snapshot?.incomplete ?? false)
            self.writeProduct(to: &json)
            self.writeRenewal(to: &json)
            self.writeOffers(to: &json)
            self.writeOwner(to: &json)
            json.member("code", self.code)
            json.member("version", self.version.rawValue)
            json.member("asOf", self.asOf)
            json.member("stale", self.stale)
            json.member("token", self.token)
        }
    }

    private func writeProduct(to json: inout JSONWriter) {
        let snapshot = self.snapshot
        json.member("productId", snapshot?.productID)
        json.member("type", snapshot?.productType)
        json.member("subscriptionGroupIdentifier", snapshot?.subscriptionGroupIdentifier)
        json.member("transactionId", snapshot?.transactionID?.rawValue)
        json.member("purchaseDate", snapshot?.purchaseDate)
        json.member("originalPurchaseDate", snapshot?.originalPurchaseDate)
        json.member("expiresDate", snapshot?.expiresDate)
        json.member("gracePeriodExpiresDate", snapshot?.gracePeriodExpiresDate)
        json.member("recentSubscriptionStartDate", snapshot?.recentSubscriptionStartDate)
        json.member("ownership", snapshot?.ownership)
        json.member("storefront", snapshot?.storefront)
        json.member("isUpgraded", snapshot?.isUpgraded ?? false)
        json.member("supersededBy", snapshot?.supersededBy?.rawValue)
        json.member("revocation") { json in
            guard let revocation = snapshot?.revocation else { return json.null() }
            json.object { json in
                json.member("date", revocation.date)
                json.member("reason", revocation.reason?.rawValue)
                json.member("type", revocation.type)
                json.member("percentage", revocation.percentage)
            }
        }
    }

    private func writeRenewal(to json: inout JSONWriter) {
        let snapshot = self.snapshot
        json.member("autoRenew", snapshot?.autoRenew)
        json.member("renewalProductId", snapshot?.renewalProductID)
        json.member("renewalDate", snapshot?.renewalDate)
        json.member("renewalPrice", snapshot?.renewalPrice)
        json.member("currency", snapshot?.currency)
        json.member("expirationIntent", snapshot?.expirationIntent?.description)
        json.member("priceIncrease", snapshot?.priceIncrease.map(Self.priceIncrease))
        json.member("commitment") { json in
            guard let commitment = snapshot?.commitment else { return json.null() }
            json.object { json in
                json.member("billingPeriodNumber", commitment.billingPeriodNumber)
                json.member("totalBillingPeriods", commitment.totalBillingPeriods)
                json.member("expiresDate", commitment.expiresDate)
                json.member("autoRenew", commitment.autoRenew)
            }
        }
    }

    private func writeOffers(to json: inout JSONWriter) {
        json.member("offer") { Self.write(self.snapshot?.offer, to: &$0) }
        json.member("nextOffer") { Self.write(self.snapshot?.nextOffer, to: &$0) }
        json.member("eligibleWinBackOfferIds", self.snapshot?.eligibleWinBackOfferIDs)
    }

    private func writeOwner(to json: inout JSONWriter) {
        json.member("appAccountToken", self.snapshot?.appAccountToken.unlessErased)
        json.member("appTransactionId", self.snapshot?.appTransactionID.unlessErased)
        json.member("customerIds", self.snapshot?.customerIDs ?? [])
    }

    private static func write(_ offer: SubscriptionSnapshot.Offer?, to json: inout JSONWriter) {
        guard let offer else { return json.null() }
        json.object { json in
            json.member("type", offer.type.description)
            json.member("id", offer.id)
            json.member("discount", offer.discount)
        }
    }

    /// Apple's `priceIncreaseStatus`.
    private static func priceIncrease(_ status: Int64) -> String {
        switch status {
        case 0: "pending"
        case 1: "accepted"
        default: "unknown:\(status)"
        }
    }
}
