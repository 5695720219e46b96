import Foundation

/// A body of `PUT …/consumption`.
enum ConsumptionBody {
    static let valid = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#

    /// The same with one of its parts replaced.
    static func replacing(_ part: String, _ by: String) -> String { Self.valid.replacing(part, with: by) }
}
