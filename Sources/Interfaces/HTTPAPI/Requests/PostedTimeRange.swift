import StrictJSON
import Subscriptions

/// A body that names a stretch of time.
struct PostedTimeRange {
    let from: Moment
    let to: Moment

    init(_ body: [UInt8]) throws(Problem) {
        var (from, to): (String?, String?)
        try PostedMembers.read(body, knowing: ["from", "to"]) { (key, json) throws(JSONError) in
            switch key {
            case "from": from = try json.text()
            case "to": to = try json.text()
            default: return false
            }
            return true
        }
        self.from = try Moment(posted: from, as: "from")
        self.to = try Moment(posted: to, as: "to")
    }
}

extension Moment {
    /// A member that has to be there.
    init(posted text: String?, as member: String) throws(Problem) {
        guard let text else { throw .missing(member) }
        guard let moment = Moment(rfc3339: text) else {
            throw Problem(.malformedBody, "\(member) is not an RFC 3339 date such as 2026-12-04T20:00:00Z")
        }
        self = moment
    }
}
