import StrictJSON
import Subscriptions

extension NotificationEnvelope.Part {
    static func data(reading reader: inout PayloadReader) throws(JSONError) -> Self {
        var data = NotificationEnvelope.DataPart()
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "environment": data.identity.environment = try reader.environment()
            case "bundleId": data.identity.bundleID = try reader.bundleID()
            case "appAppleId": data.identity.appAppleID = try reader.json.integer()
            case "signedTransactionInfo": data.signedTransactionInfo = try reader.jws()
            case "signedRenewalInfo": data.signedRenewalInfo = try reader.jws()
            case "status": data.status = .init(rawValue: try reader.json.integer())
            case "consumptionRequestReason": data.consumptionRequestReason = try reader.text()
            default: try reader.json.skip()
            }
        }
        return .data(data)
    }

    static func summary(reading reader: inout PayloadReader) throws(JSONError) -> Self {
        var identity = ClaimedIdentity()
        var summary = NotificationRecord.MassExtensionSummary(requestIdentifier: "")
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "environment": identity.environment = try reader.environment()
            case "bundleId": identity.bundleID = try reader.bundleID()
            case "appAppleId": identity.appAppleID = try reader.json.integer()
            case "requestIdentifier": summary.requestIdentifier = try reader.json.identifier()
            case "productId": summary.productID = try reader.text()
            case "storefrontCountryCodes": summary.storefrontCountryCodes = try reader.texts()
            case "succeededCount": summary.succeededCount = try reader.json.integer()
            case "failedCount": summary.failedCount = try reader.json.integer()
            default: try reader.json.skip()
            }
        }
        return .summary(identity, summary)
    }

    /// Names no environment: the prefix of its id does.
    static func externalPurchaseToken(reading reader: inout PayloadReader) throws(JSONError) -> Self {
        var identity = ClaimedIdentity()
        var token = NotificationRecord.ExternalPurchaseToken(externalPurchaseID: "")
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "externalPurchaseId": token.externalPurchaseID = try reader.json.identifier()
            case "bundleId": identity.bundleID = try reader.bundleID()
            case "appAppleId": identity.appAppleID = try reader.json.integer()
            case "tokenCreationDate": token.tokenCreationDate = try reader.moment()
            case "tokenType": token.tokenType = try reader.text()
            case "tokenExpirationDate": token.tokenExpirationDate = try reader.moment()
            default: try reader.json.skip()
            }
        }
        identity.environment = token.externalPurchaseID.hasPrefix("SANDBOX") ? .sandbox : .production
        return .externalPurchaseToken(identity, token)
    }

    static func appData(reading reader: inout PayloadReader) throws(JSONError) -> Self {
        var identity = ClaimedIdentity()
        var jws: ArraySlice<UInt8>?
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "environment": identity.environment = try reader.environment()
            case "bundleId": identity.bundleID = try reader.bundleID()
            case "appAppleId": identity.appAppleID = try reader.json.integer()
            case "signedAppTransactionInfo": jws = try reader.jws()
            default: try reader.json.skip()
            }
        }
        return .appData(identity, signedAppTransactionInfo: jws)
    }
}
