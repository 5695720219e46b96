import StrictJSON
import Subscriptions

extension TransactionInfo: IdentifyingPayload {
    /// JWSTransactionDecodedPayload. Identity starts empty, and a payload that leaves it empty is
    /// refused at the end.
    init(reading reader: inout PayloadReader) throws(PayloadProblem) {
        var info = TransactionInfo(
            originalTransactionID: .init(rawValue: ""), transactionID: .init(rawValue: ""),
            bundleID: .init(rawValue: ""),
            environment: .init(rawValue: ""), signedDate: .distantPast, digest: reader.digest)
        do throws(JSONError) { try info.unshared.readMembers(of: &reader) } catch { throw PayloadProblem(error) }
        guard !info.transactionID.rawValue.isEmpty, !info.bundleID.rawValue.isEmpty, info.productType != nil else {
            throw PayloadProblem(.wrongKind, "a transaction has transactionId, bundleId and type")
        }
        guard !info.originalTransactionID.rawValue.isEmpty else { throw .missing("originalTransactionId") }
        info.signedDate = reader.signedDate
        self = info
    }

    var claimedIdentity: ClaimedIdentity {
        ClaimedIdentity(bundleID: self.bundleID, environment: self.environment, carriesAppAppleID: false)
    }
}

extension TransactionInfo.Fields {
    fileprivate mutating func readMembers(of reader: inout PayloadReader) throws(JSONError) {
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "originalTransactionId":
                self.originalTransactionID = .init(rawValue: try reader.json.identifier())
            case "transactionId": self.transactionID = .init(rawValue: try reader.json.identifier())
            case "bundleId": self.bundleID = try reader.bundleID()
            case "environment": self.environment = try reader.environment()
            case "signedDate": try reader.readSignedDate()
            case "webOrderLineItemId": self.webOrderLineItemID = try reader.json.identifier()
            case "productId": self.productID = try reader.text()
            case "subscriptionGroupIdentifier": self.subscriptionGroupIdentifier = try reader.text()
            case "type": self.productType = try reader.text()
            case "purchaseDate": self.purchaseDate = try reader.moment()
            case "originalPurchaseDate": self.originalPurchaseDate = try reader.moment()
            case "expiresDate": self.expiresDate = try reader.moment()
            case "quantity": self.quantity = try reader.json.integer()
            case "appAccountToken": self.appAccountToken = try reader.text()
            case "inAppOwnershipType": self.inAppOwnershipType = try reader.text()
            case "isUpgraded": self.isUpgraded = try reader.json.bool()
            case "revocationDate": self.revocationDate = try reader.moment()
            case "revocationReason": self.revocationReason = .init(rawValue: try reader.json.integer())
            case "revocationType": self.revocationType = try reader.text()
            case "revocationPercentage": self.revocationPercentage = try reader.json.integer()
            case "offerType": self.offerType = .init(rawValue: try reader.json.integer())
            case "offerIdentifier": self.offerIdentifier = try reader.text()
            case "offerDiscountType": self.offerDiscountType = try reader.text()
            case "offerPeriod": self.offerPeriod = try reader.text()
            case "storefront": self.storefront = try reader.text()
            case "storefrontId": self.storefrontID = try reader.text()
            case "transactionReason": self.transactionReason = try reader.text()
            case "price": self.price = try reader.json.integer()
            case "currency": self.currency = try reader.text()
            case "appTransactionId": self.appTransactionID = try reader.json.identifier()
            case "previousOriginalTransactionId":
                self.previousOriginalTransactionID = .init(rawValue: try reader.json.identifier())
            case "billingPlanType": self.billingPlanType = try reader.text()
            case "commitmentInfo": self.commitment = try TransactionInfo.Commitment(reading: &reader)
            default: try reader.json.skip()
            }
        }
    }
}

extension TransactionInfo.Commitment {
    fileprivate init(reading reader: inout PayloadReader) throws(JSONError) {
        self.init()
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "billingPeriodNumber": self.billingPeriodNumber = try reader.json.integer()
            case "totalBillingPeriods": self.totalBillingPeriods = try reader.json.integer()
            case "commitmentExpiresDate": self.commitmentExpiresDate = try reader.moment()
            case "commitmentPrice": self.commitmentPrice = try reader.json.integer()
            default: try reader.json.skip()
            }
        }
    }
}
