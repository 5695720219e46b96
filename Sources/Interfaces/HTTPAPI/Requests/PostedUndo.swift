import StrictJSON

/// The body of `POST /v1/customers/{customerId}/undo`.
struct PostedUndo {
    let event: String
    let reason: String?

    init(_ body: [UInt8]) throws(Problem) {
        var (event, reason): (String?, String?)
        try PostedMembers.read(body, knowing: ["event", "reason"]) { (key, json) throws(JSONError) in
            switch key {
            case "event": event = try json.text()
            case "reason": reason = try json.text()
            default: return false
            }
            return true
        }
        guard let event else { throw .missing("event") }
        self.event = event
        self.reason = try PostedReason.checked(reason)
    }
}
