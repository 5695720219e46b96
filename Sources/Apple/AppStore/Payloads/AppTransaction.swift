import StrictJSON
import Subscriptions

/// JWSAppTransactionDecodedPayload, and the AppTransaction of a device.
struct AppTransaction: IdentifyingPayload {
    var claimedIdentity = ClaimedIdentity()
    var appTransactionID: String?
    var originalPurchaseDate: Moment?
    var originalApplicationVersion: String?
    var originalPlatform: String?

    init(reading reader: inout PayloadReader) throws(PayloadProblem) {
        do throws(JSONError) { try self.readMembers(of: &reader) } catch { throw PayloadProblem(error) }
        guard self.claimedIdentity.environment != nil, self.claimedIdentity.bundleID != nil else {
            throw PayloadProblem(.wrongKind, "an app transaction has receiptType and bundleId")
        }
    }

    private mutating func readMembers(of reader: inout PayloadReader) throws(JSONError) {
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "receiptType": self.claimedIdentity.environment = try reader.environment()
            case "bundleId": self.claimedIdentity.bundleID = try reader.bundleID()
            case "appAppleId": self.claimedIdentity.appAppleID = try reader.json.integer()
            case "receiptCreationDate": try reader.readSignedDate()
            case "appTransactionId": self.appTransactionID = try reader.json.identifier()
            case "originalPurchaseDate": self.originalPurchaseDate = try reader.moment()
            case "originalApplicationVersion": self.originalApplicationVersion = try reader.text()
            case "originalPlatform": self.originalPlatform = try reader.text()
            default: try reader.json.skip()
            }
        }
    }
}
