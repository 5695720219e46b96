import EventLog

/// One run of another node, and how to reach it.
struct Peer: Hashable, Sendable {
    let node: NodeID
    let incarnation: Incarnation
    let endpoint: String
    /// Of which its socket holds the secret; two while one replaces the other.
    let curveKeys: [[UInt8]]

    /// nil for a node that listens nowhere.
    init?(_ record: NodeRecord) {
        guard let endpoint = record.endpoint, !record.curveKeys.isEmpty else { return nil }
        self.node = record.id
        self.incarnation = record.incarnation
        self.endpoint = endpoint
        self.curveKeys = record.curveKeys
    }

    var run: ShardRecord.Owner { ShardRecord.Owner(node: self.node, incarnation: self.incarnation) }
}
