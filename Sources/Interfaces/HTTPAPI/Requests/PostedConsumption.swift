import AppStore
import StrictJSON
import Subscriptions

/// The body of `PUT /v1/subscriptions/{originalTransactionId}/consumption`, or of a purchase: Apple's names, and the
/// transaction.
struct PostedConsumption {
    let information: ConsumptionInformation
    /// The one that the customer wants refunded; nil for the one that Apple asked about last.
    let transactionID: String?

    private static let members = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
        "transactionId",
    ]

    init(_ body: [UInt8]) throws(Problem) {
        var (consented, hasSample): (Bool?, Bool?)
        var (delivery, preference, transactionID): (String?, String?, String?)
        var percentage: Int64?
        try PostedMembers.read(body, knowing: Self.members, emptyTextIsNull: true) { (key, json) throws(JSONError) in
            switch key {
            case "customerConsented": consented = try json.bool()
            case "deliveryStatus": delivery = try json.text()
            case "sampleContentProvided": hasSample = try json.bool()
            case "consumptionPercentage": percentage = try json.integer()
            case "refundPreference": preference = try json.text()
            case "transactionId": transactionID = try json.text()
            default: return false
            }
            return true
        }
        guard let consented else { throw .missing("customerConsented") }
        guard consented else {
            throw Problem(.malformedBody, "customerConsented is false: without consent Apple may not be told anything")
        }
        guard let delivery else { throw .missing("deliveryStatus") }
        guard let hasSample else { throw .missing("sampleContentProvided") }
        let status = try Self.word(delivery, "deliveryStatus", as: ConsumptionInformation.DeliveryStatus.self)
        guard (0...100_000).contains(percentage ?? 0) else {
            throw Problem(.malformedBody, "consumptionPercentage is not 0 to 100000 thousandths of a percent")
        }
        guard status == .delivered || percentage ?? 0 == 0 else {
            throw Problem(.malformedBody, "consumptionPercentage is 0 for what was not delivered")
        }
        guard transactionID?.isIdentifier ?? true else {
            throw Problem(.malformedBody, "transactionId is not 1 to 128 visible ASCII characters")
        }
        self.transactionID = transactionID
        self.information = ConsumptionInformation(
            customerConsented: true, deliveryStatus: status, sampleContentProvided: hasSample,
            consumptionPercentage: percentage,
            refundPreference: try preference.map { text throws(Problem) in
                try Self.word(text, "refundPreference", as: ConsumptionInformation.RefundPreference.self)
            })
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ member: String, as type: Word.Type
    ) throws(Problem) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "\(member) is none of \(known)")
        }
        return word
    }
}
