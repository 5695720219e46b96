import Reconciliation
import StrictJSON
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
        self.from = try Moment(posted: from, as: "from")
        self.to = try Moment(posted: to, as: "to")
        self.app = try app.reference()
    }
}
