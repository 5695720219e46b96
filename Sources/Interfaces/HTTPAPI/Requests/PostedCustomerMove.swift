import StrictJSON
import Subscriptions

/// The body of `POST /v1/customers/{customerId}/move`.
struct PostedCustomerMove {
    let target: CustomerID
    let reason: String?

    init(_ body: [UInt8]) throws(Problem) {
        var (target, reason): (String?, String?)
        try PostedMembers.read(body, knowing: ["to", "reason"]) { (key, json) throws(JSONError) in
            switch key {
            case "to": target = try json.text()
            case "reason": reason = try json.text()
            default: return false
            }
            return true
        }
        guard let target else { throw .missing("to") }
        self.target = try CustomerID(posted: target)
        self.reason = try PostedReason.checked(reason)
    }
}
