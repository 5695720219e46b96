import JSONScanning
import SubscriptionRuntime
import Subscriptions

/// The body of `POST /v1/reconcile/backfill`.
struct PostedBackfill {
    let from: Moment
    let to: Moment
    /// nil for all.
    let app: AppReference?

    init(_ body: [UInt8]) throws(Problem) {
        var app = PostedApp()
        var (from, to): (String?, String?)
        try PostedMembers.read(body, knowing: ["from", "to"] + PostedApp.members) { (key, json) throws(JSONError) in
            switch key {
            case "from": from = try json.text()
            case "to": to = try json.text()
            default: return try app.read(key, &json)
            }
            return true
        }
        self.from = try Self.moment(from, "from")
        self.to = try Self.moment(to, "to")
        self.app = try app.reference()
    }

    private static func moment(_ text: String?, _ member: String) throws(Problem) -> Moment {
        guard let text else { throw .missing(member) }
        guard let moment = Moment(rfc3339: text) else {
            throw Problem(.malformedBody, "\(member) is not an RFC 3339 date such as 2026-12-04T20:00:00Z")
        }
        return moment
    }
}
