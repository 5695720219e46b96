import AppStore
import Foundation
import StrictJSON
import Subscriptions

/// The body of `POST /v1/subscriptions/{originalTransactionId}/extend`.
struct PostedExtension {
    let days: Int
    let reason: ExtensionReason
    /// One of ours when the caller has given none.
    let requestIdentifier: String

    init(_ body: [UInt8]) throws(Problem) {
        var days: Int64?
        var (reason, identifier): (String?, String?)
        try PostedMembers.read(body, knowing: ["days", "reason", "requestIdentifier"]) {
            (key, json) throws(JSONError) in
            switch key {
            case "days": days = try json.integer()
            case "reason": reason = try json.text()
            case "requestIdentifier": identifier = try json.text()
            default: return false
            }
            return true
        }
        guard let days else { throw .missing("days") }
        guard (1...90).contains(days) else { throw Problem(.malformedBody, "days is not 1 to 90") }
        guard let reason else { throw .missing("reason") }
        guard let reason = ExtensionReason.allCases.first(where: { $0.word == reason }) else {
            let known = ExtensionReason.allCases.map(\.word).joined(separator: ", ")
            throw Problem(.malformedBody, "reason is none of \(known)")
        }
        guard identifier?.isIdentifier ?? true else {
            throw Problem(.malformedBody, "requestIdentifier is not 1 to 128 visible ASCII characters")
        }
        self.days = Int(days)
        self.reason = reason
        self.requestIdentifier = identifier ?? UUID().uuidString.lowercased()
    }
}

extension ExtensionReason {
    /// As callers of this API write it.
    fileprivate var word: String {
        switch self {
        case .undeclared: "undeclared"
        case .customerSatisfaction: "customerSatisfaction"
        case .other: "other"
        case .serviceIssue: "serviceIssue"
        }
    }
}
