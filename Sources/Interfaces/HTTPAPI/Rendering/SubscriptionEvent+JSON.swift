import StrictJSON
import Subscriptions

/// `data` of an event: the facts under Apple's names, with readable dates. What Apple left out is left out.
extension SubscriptionEvent {
    func writeData(to json: inout JSONWriter) {
        json.object { json in
            if !self.facts.transactions.isEmpty {
                json.member("transactions") { json in
                    json.array { json in
                        for transaction in self.facts.transactions { transaction.write(to: &json) }
                    }
                }
            }
            if let renewal = self.facts.renewal { json.member("renewal") { renewal.write(to: &$0) } }
            if let status = self.facts.status { json.member("status") { status.write(to: &$0) } }
            if let record = self.record { json.member("record") { record.write(to: &$0) } }
            json.member("consumptionRequestReason", ifPresent: self.notification?.consumptionRequestReason)
            json.member(
                "customerId",
                ifPresent: self.namedCustomer?.rawValue ?? self.customerID)
            json.member("identifier", ifPresent: self.registration?.identifier)
            json.member("actor", ifPresent: self.actor)
            json.member("reason", ifPresent: self.link?.reason ?? self.customer?.reason)
            self.customer?.content.writeMembers(to: &json)
            if let reevaluation = self.reevaluation {
                json.member("before") { reevaluation.previous.write(to: &$0) }
                json.member("after") { reevaluation.current.write(to: &$0) }
            }
            json.member("supersededBy", ifPresent: self.successor?.value.rawValue)
            json.member("detail", ifPresent: self.detail)
        }
    }
}

extension Reevaluation.Answer {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("entitled", self.entitled)
            json.member("state", self.state?.rawValue)
            json.member("code", self.code)
            json.member("productId", self.productID)
            json.member("validUntil", self.validUntil)
            json.member("entitlements", self.entitlements)
        }
    }
}

extension CustomerRecord.Content {
    func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .granted(let grant): json.member("grant") { json in json.object { grant.writeMembers(to: &$0) } }
        case .revoked(let key, _): json.member("grantId", key.id)
        case .attributes(let changes): json.member("attributes") { changes.write(to: &$0) }
        case .takes(let other, _, _), .drops(let other), .taken(let other, _), .givesBack(let other, _, _, _):
            json.member("movedFrom", other?.rawValue)
        case .moved(let other): json.member("movedTo", other?.rawValue)
        // Taken back: it is itself.
        case .returned(let other):
            json.member("movedTo", nil as String?)
            json.member("movedBackFrom", other?.rawValue)
        case .left(let grants): json.member("grantIds", grants.map(\.id))
        case .stays: break
        case .told(let change):
            json.member("entitlement", change.name.entitlement)
            json.member("environment", change.name.environment.rawValue)
            json.member("before") { change.previous.write(to: &$0) }
            json.member("after") { Optional(change.current).write(to: &$0) }
        case .duplicatePayment(let duplicate), .duplicatePaymentClosed(let duplicate):
            duplicate.writeMembers(to: &json)
        }
    }
}

extension TransactionInfo {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("originalTransactionId", self.originalTransactionID.rawValue)
            json.member("transactionId", self.transactionID.rawValue)
            json.member("signedDate", self.signedDate)
            json.member("webOrderLineItemId", ifPresent: self.webOrderLineItemID)
            json.member("productId", ifPresent: self.productID)
            json.member("subscriptionGroupIdentifier", ifPresent: self.subscriptionGroupIdentifier)
            json.member("type", ifPresent: self.productType)
            json.member("purchaseDate", ifPresent: self.purchaseDate)
            json.member("originalPurchaseDate", ifPresent: self.originalPurchaseDate)
            json.member("expiresDate", ifPresent: self.expiresDate)
            json.member("quantity", ifPresent: self.quantity)
            json.member("appAccountToken", ifPresent: self.appAccountToken.unlessErased)
            json.member("inAppOwnershipType", ifPresent: self.inAppOwnershipType)
            json.member("isUpgraded", ifPresent: self.isUpgraded)
            json.member("revocationDate", ifPresent: self.revocationDate)
            json.member("revocationReason", ifPresent: self.revocationReason?.rawValue)
            json.member("revocationType", ifPresent: self.revocationType)
            json.member("revocationPercentage", ifPresent: self.revocationPercentage)
            json.member("offerType", ifPresent: self.offerType?.description)
            json.member("offerIdentifier", ifPresent: self.offerIdentifier)
            json.member("offerDiscountType", ifPresent: self.offerDiscountType)
            json.member("offerPeriod", ifPresent: self.offerPeriod)
            json.member("storefront", ifPresent: self.storefront)
            json.member("storefrontId", ifPresent: self.storefrontID)
            json.member("transactionReason", ifPresent: self.transactionReason)
            json.member("price", ifPresent: self.price)
            json.member("currency", ifPresent: self.currency)
            json.member("appTransactionId", ifPresent: self.appTransactionID.unlessErased)
            json.member("previousOriginalTransactionId", ifPresent: self.previousOriginalTransactionID?.rawValue)
            json.member("billingPlanType", ifPresent: self.billingPlanType)
            if let commitment = self.commitment { json.member("commitmentInfo") { commitment.write(to: &$0) } }
        }
    }
}

extension TransactionInfo.Commitment {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("billingPeriodNumber", ifPresent: self.billingPeriodNumber)
            json.member("totalBillingPeriods", ifPresent: self.totalBillingPeriods)
            json.member("commitmentExpiresDate", ifPresent: self.commitmentExpiresDate)
            json.member("commitmentPrice", ifPresent: self.commitmentPrice)
        }
    }
}

extension RenewalInfo {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("originalTransactionId", self.originalTransactionID.rawValue)
            json.member("signedDate", self.signedDate)
            json.member("productId", ifPresent: self.productID)
            json.member("autoRenewProductId", ifPresent: self.autoRenewProductID)
            json.member("autoRenewStatus", ifPresent: self.autoRenewStatus)
            json.member("expirationIntent", ifPresent: self.expirationIntent?.description)
            json.member("isInBillingRetryPeriod", ifPresent: self.isInBillingRetryPeriod)
            json.member("gracePeriodExpiresDate", ifPresent: self.gracePeriodExpiresDate)
            json.member("priceIncreaseStatus", ifPresent: self.priceIncreaseStatus)
            json.member("offerType", ifPresent: self.offerType?.description)
            json.member("offerIdentifier", ifPresent: self.offerIdentifier)
            json.member("offerDiscountType", ifPresent: self.offerDiscountType)
            json.member("offerPeriod", ifPresent: self.offerPeriod)
            if let ids = self.eligibleWinBackOfferIDs { json.member("eligibleWinBackOfferIds", ids) }
            json.member("renewalDate", ifPresent: self.renewalDate)
            json.member("renewalPrice", ifPresent: self.renewalPrice)
            json.member("currency", ifPresent: self.currency)
            json.member("recentSubscriptionStartDate", ifPresent: self.recentSubscriptionStartDate)
            json.member("appAccountToken", ifPresent: self.appAccountToken.unlessErased)
            json.member("appTransactionId", ifPresent: self.appTransactionID.unlessErased)
            json.member("renewalBillingPlanType", ifPresent: self.renewalBillingPlanType)
            if let commitment = self.commitment { json.member("commitmentInfo") { commitment.write(to: &$0) } }
        }
    }
}

extension RenewalInfo.Commitment {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("commitmentAutoRenewProductId", ifPresent: self.autoRenewProductID)
            json.member("commitmentAutoRenewStatus", ifPresent: self.autoRenewStatus)
            json.member("commitmentRenewalBillingPlanType", ifPresent: self.renewalBillingPlanType)
            json.member("commitmentRenewalDate", ifPresent: self.renewalDate)
            json.member("commitmentRenewalPrice", ifPresent: self.renewalPrice)
        }
    }
}

extension StatusObservation {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("status", self.status.rawValue)
            json.member("asOf", self.asOf)
            json.member("signed", self.unsigned == nil)
        }
    }
}

extension NotificationRecord {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .massExtension(let summary):
                json.member("requestIdentifier", summary.requestIdentifier)
                json.member("productId", ifPresent: summary.productID)
                if let codes = summary.storefrontCountryCodes { json.member("storefrontCountryCodes", codes) }
                json.member("succeededCount", ifPresent: summary.succeededCount)
                json.member("failedCount", ifPresent: summary.failedCount)
            case .externalPurchase(let token):
                json.member("externalPurchaseId", token.externalPurchaseID)
                json.member("tokenCreationDate", ifPresent: token.tokenCreationDate)
                json.member("tokenType", ifPresent: token.tokenType)
                json.member("tokenExpirationDate", ifPresent: token.tokenExpirationDate)
            case .consentRescinded(let app):
                json.member("appTransactionId", String?(app.appTransactionID).unlessErased)
                json.member("originalPurchaseDate", ifPresent: app.originalPurchaseDate)
                json.member("originalApplicationVersion", ifPresent: app.originalApplicationVersion)
                json.member("originalPlatform", ifPresent: app.originalPlatform)
            case .test:
                break
            }
        }
    }
}
