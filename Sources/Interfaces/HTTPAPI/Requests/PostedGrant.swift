import Foundation
import StrictJSON
import Subscriptions

/// The body of `POST /v1/customers/{customerId}/grants`, and of `PUT …/grants/{grantId}`.
struct PostedGrant {
    let grant: Grant
    /// `from` was not said.
    let startsNow: Bool

    private static let members = [
        "id", "entitlement", "reason", "source", "from", "until", "permanent", "renews", "environment",
    ]

    /// - Parameter id: that the path names; without one the body may, and else one is drawn.
    init(_ body: [UInt8], id pathID: String? = nil) throws(Problem) {
        var (id, entitlement, reason, source): (String?, String?, String?, String?)
        var (from, until, environment): (String?, String?, String?)
        var (isPermanent, renews) = (false, false)
        try PostedMembers.read(body, knowing: Self.members) { (key, json) throws(JSONError) in
            switch key {
            case "id": id = try json.text()
            case "entitlement": entitlement = try json.text()
            case "reason": reason = try json.text()
            case "source": source = try json.text()
            case "from": from = try json.text()
            case "until": until = try json.text()
            case "permanent": isPermanent = try json.bool()
            case "renews": renews = try json.bool()
            case "environment": environment = try json.text()
            default: return false
            }
            return true
        }
        guard let entitlement else { throw .missing("entitlement") }
        if let pathID, let id, id != pathID {
            throw Problem(.malformedBody, "id is another one than the path names: leave it out")
        }
        guard isPermanent == (until == nil) else {
            throw Problem(
                .malformedBody,
                isPermanent
                    ? "a permanent grant has no until: say one of the two"
                    : "until is missing: say when the grant ends, or \"permanent\": true")
        }
        guard let environment = EnvironmentName(rawValue: environment ?? EnvironmentName.production.rawValue) else {
            let known = EnvironmentName.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.malformedBody, "environment is none of \(known)")
        }
        self.startsNow = from == nil
        self.grant = Grant(
            id: try Self.id(pathID ?? id), entitlement: entitlement,
            reason: try Self.text(reason, "reason", Grant.longestReason),
            source: try Self.text(source, "source", Grant.longestSource),
            from: try from.map { text throws(Problem) in try Moment(posted: text, as: "from") } ?? .distantPast,
            until: try until.map { text throws(Problem) in try Moment(posted: text, as: "until") },
            renews: renews, environment: AppStoreEnvironment(rawValue: environment.rawValue))
    }

    private static func id(_ text: String?) throws(Problem) -> String {
        guard let text else { return UUID().uuidString.lowercased() }
        guard text.isIdentifier, text.utf8.count <= Grant.longestID else {
            throw Problem(.malformedBody, "a grant's id is 1 to \(Grant.longestID) visible ASCII characters")
        }
        return text
    }

    private static func text(_ text: String?, _ member: String, _ longest: Int) throws(Problem) -> String {
        guard let text, !text.isEmpty else { throw .missing(member) }
        guard text.utf8.count <= longest,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw Problem(.malformedBody, "\(member) is not 1 to \(longest) bytes without control characters")
        }
        return text
    }
}
