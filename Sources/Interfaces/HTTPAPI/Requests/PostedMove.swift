import EventLog
import StrictJSON
import Subscriptions

/// The body of `POST /v1/shards/{shard}/move`.
struct PostedMove {
    let node: NodeID

    init(_ body: [UInt8]) throws(Problem) {
        var node: String?
        try PostedMembers.read(body, knowing: ["to"]) { (key, json) throws(JSONError) in
            switch key {
            case "to": node = try json.text()
            default: return false
            }
            return true
        }
        guard let node else { throw .missing("to") }
        guard node.isIdentifier else { throw Problem(.malformedBody, "to is not 1 to 128 visible ASCII characters") }
        self.node = NodeID(rawValue: node)
    }
}
