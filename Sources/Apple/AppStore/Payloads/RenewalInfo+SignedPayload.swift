import StrictJSON
import Subscriptions

extension RenewalInfo: SignedPayload {
    /// JWSRenewalInfoDecodedPayload.
    init(reading reader: inout PayloadReader) throws(PayloadProblem) {
        var info = RenewalInfo(
            originalTransactionID: .init(rawValue: ""), environment: .init(rawValue: ""), signedDate: .distantPast,
            digest: reader.digest)
        var isTransaction = false
        do throws(JSONError) {
            try info.unshared.readMembers(of: &reader, isTransaction: &isTransaction)
        } catch {
            throw PayloadProblem(error)
        }
        guard !isTransaction, info.autoRenewStatus != nil || info.autoRenewProductID != nil else {
            throw PayloadProblem(
                .wrongKind, "a renewal info has autoRenewStatus or autoRenewProductId, and no transactionId")
        }
        guard !info.originalTransactionID.rawValue.isEmpty else { throw .missing("originalTransactionId") }
        info.signedDate = reader.signedDate
        self = info
    }
}

extension RenewalInfo.Fields {
    fileprivate mutating func readMembers(
        of reader: inout PayloadReader, isTransaction: inout Bool
    ) throws(JSONError) {
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "transactionId":
                isTransaction = true
                try reader.json.skip()
            case "originalTransactionId":
                self.originalTransactionID = .init(rawValue: try reader.json.identifier())
            case "environment": self.environment = try reader.environment()
            case "signedDate": try reader.readSignedDate()
            case "productId": self.productID = try reader.text()
            case "autoRenewProductId": self.autoRenewProductID = try reader.text()
            case "autoRenewStatus": self.autoRenewStatus = try reader.json.integer()
            case "expirationIntent": self.expirationIntent = .init(rawValue: try reader.json.integer())
            case "isInBillingRetryPeriod": self.isInBillingRetryPeriod = try reader.json.bool()
            case "gracePeriodExpiresDate": self.gracePeriodExpiresDate = try reader.moment()
            case "priceIncreaseStatus": self.priceIncreaseStatus = try reader.json.integer()
            case "offerType": self.offerType = .init(rawValue: try reader.json.integer())
            case "offerIdentifier": self.offerIdentifier = try reader.text()
            case "offerDiscountType": self.offerDiscountType = try reader.text()
            case "offerPeriod": self.offerPeriod = try reader.text()
            case "eligibleWinBackOfferIds": self.eligibleWinBackOfferIDs = try reader.texts()
            case "renewalDate": self.renewalDate = try reader.moment()
            case "renewalPrice": self.renewalPrice = try reader.json.integer()
            case "currency": self.currency = try reader.text()
            case "recentSubscriptionStartDate": self.recentSubscriptionStartDate = try reader.moment()
            case "appAccountToken": self.appAccountToken = try reader.text()
            case "appTransactionId": self.appTransactionID = try reader.json.identifier()
            case "renewalBillingPlanType": self.renewalBillingPlanType = try reader.text()
            case "commitmentInfo": self.commitment = try RenewalInfo.Commitment(reading: &reader)
            default: try reader.json.skip()
            }
        }
    }
}

extension RenewalInfo.Commitment {
    fileprivate init(reading reader: inout PayloadReader) throws(JSONError) {
        self.init()
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "commitmentAutoRenewProductId": self.autoRenewProductID = try reader.text()
            case "commitmentAutoRenewStatus": self.autoRenewStatus = try reader.json.integer()
            case "commitmentRenewalBillingPlanType": self.renewalBillingPlanType = try reader.text()
            case "commitmentRenewalDate": self.renewalDate = try reader.moment()
            case "commitmentRenewalPrice": self.renewalPrice = try reader.json.integer()
            default: try reader.json.skip()
            }
        }
    }
}
