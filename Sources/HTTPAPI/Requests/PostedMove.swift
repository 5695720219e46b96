import EventSourcing
import JSONScanning
import Subscriptions

/// The body of `POST /v1/shards/{shard}/move`.
struct PostedMove {
    let node: NodeID

    /// What is not known is refused: it may be a condition that the caller relies on.
    init(_ body: [UInt8]) throws(Problem) {
        var node: String?
        var hasUnknownMember = false
        do throws(JSONError) {
            var json = JSONScanner(body)
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "to": node = try json.text()
                default:
                    hasUnknownMember = true
                    try json.skip()
                }
            }
            try json.end()
        } catch {
            throw Problem(.malformedBody, error.description)
        }
        guard !hasUnknownMember else { throw Problem(.malformedBody, "the body has an unknown member; it takes to") }
        guard let node else { throw Problem(.malformedBody, "to is missing") }
        guard node.isIdentifier else { throw Problem(.malformedBody, "to is not 1 to 128 visible ASCII characters") }
        self.node = NodeID(rawValue: node)
    }
}
