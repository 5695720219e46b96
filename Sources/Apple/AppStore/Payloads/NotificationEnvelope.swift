import StrictJSON
import Subscriptions

/// responseBodyV2DecodedPayload: what a notification says itself, with the nested JWS still shut.
struct NotificationEnvelope: IdentifyingPayload {
    var identity = NotificationIdentity(uuid: "", type: "")
    /// The 16 bytes of `notificationUUID`.
    var uuidBytes: [UInt8] = []
    /// nil when the envelope has none, as Apple's samples may.
    var signedDate: Moment?
    let digest: PayloadDigest
    /// nil when none of the four is there; more than one is refused.
    var part: Part?

    enum Part: Sendable {
        case data(DataPart)
        case summary(ClaimedIdentity, NotificationRecord.MassExtensionSummary)
        case externalPurchaseToken(ClaimedIdentity, NotificationRecord.ExternalPurchaseToken)
        case appData(ClaimedIdentity, signedAppTransactionInfo: ArraySlice<UInt8>?)

        var claimedIdentity: ClaimedIdentity {
            switch self {
            case .data(let data): data.identity
            case .summary(let identity, _), .externalPurchaseToken(let identity, _), .appData(let identity, _): identity
            }
        }
    }

    var claimedIdentity: ClaimedIdentity { self.part?.claimedIdentity ?? ClaimedIdentity() }

    struct DataPart: Sendable {
        var identity = ClaimedIdentity()
        var signedTransactionInfo: ArraySlice<UInt8>?
        var signedRenewalInfo: ArraySlice<UInt8>?
        var status: AppleStatus?
        var consumptionRequestReason: String?
    }

    init(reading reader: inout PayloadReader) throws(PayloadProblem) {
        self.digest = reader.digest
        var parts: [Part] = []
        do throws(JSONError) { try self.readMembers(of: &reader, parts: &parts) } catch { throw PayloadProblem(error) }
        guard !self.identity.type.isEmpty, !self.identity.uuid.isEmpty else {
            throw PayloadProblem(.wrongKind, "a notification has notificationType and notificationUUID")
        }
        guard let uuidBytes = NotificationUUID.bytes(of: self.identity.uuid) else {
            throw PayloadProblem(.undecodable, "notificationUUID is no UUID")
        }
        guard parts.count <= 1 else {
            throw PayloadProblem(
                .undecodable, "a notification has one of data, summary, externalPurchaseToken and appData, not more")
        }
        self.uuidBytes = uuidBytes
        self.part = parts.first
        if case .data(let data) = self.part { self.identity.consumptionRequestReason = data.consumptionRequestReason }
        if reader.hasSignedDate { self.signedDate = reader.signedDate }
    }

    private mutating func readMembers(of reader: inout PayloadReader, parts: inout [Part]) throws(JSONError) {
        try reader.json.beginObject()
        while let key = try reader.json.nextKey() {
            switch key {
            case "notificationType": self.identity.type = try reader.text()
            case "subtype": self.identity.subtype = try reader.text()
            case "notificationUUID": self.identity.uuid = try reader.text()
            case "signedDate": try reader.readSignedDate()
            case "data": parts.append(try .data(reading: &reader))
            case "summary": parts.append(try .summary(reading: &reader))
            case "externalPurchaseToken": parts.append(try .externalPurchaseToken(reading: &reader))
            case "appData": parts.append(try .appData(reading: &reader))
            default: try reader.json.skip()
            }
        }
    }
}
