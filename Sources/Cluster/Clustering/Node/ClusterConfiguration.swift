package import EventLog
package import ZeroMQ

/// How a node takes part in a cluster.
package struct ClusterConfiguration: Sendable {
    /// `node.id`.
    package var node: NodeID
    /// Of this run, drawn at random.
    package var incarnation: Incarnation
    /// `cluster.bind`: the endpoint to listen on; port 0 takes a free one.
    package var bind: String
    /// `cluster.advertise`: the endpoint that others connect to; nil for the one that is listened on.
    package var advertise: String?
    /// From `cluster.curveKeyFile`.
    package var keys: CurveKeyPair
    /// A public key that this node will have soon: others let it in with either.
    package var nextPublicKey: [UInt8]?
    /// How long a caller waits unless it says otherwise.
    package var callTimeout = Duration.seconds(10)
    /// How long a call waits for a connection that is not there.
    package var connectPatience = Duration.milliseconds(750)
    /// For so long a call is repeated whose shard has no owner who can be called, as during a hand-off. Short: whoever calls
    /// has a patience of his own, which the last of his calls exceeds by as much.
    package var ownerPatience = Duration.milliseconds(200)
    /// For so long at most commands gather while several that have left are unanswered: a shard that does not answer must not
    /// hold the others up.
    package var commandPatience = Duration.milliseconds(20)
    /// For so long at most replies wait for the others to what came in the same message; and for so long anew, together with
    /// those to other messages, where some have left already.
    package var replyPatience = Duration.milliseconds(20)
    /// A connection on which nothing was heard for so long, though a sign of life was asked for, counts as broken.
    package var heartbeatTimeout = Duration.seconds(3)
    /// How many calls to one node, or from all nodes, may be under way.
    package var callLimit = 65_536
    /// The same in bytes of their arguments.
    package var callBytes = 64 << 20
    /// Bytes that a message may have; whoever sends more is cut off.
    package var largestMessage = 32 << 20

    package init(node: NodeID, incarnation: Incarnation, bind: String, keys: CurveKeyPair) {
        self.node = node
        self.incarnation = incarnation
        self.bind = bind
        self.keys = keys
    }

    var limits: CallTable<Association.Waiter>.Limits {
        CallTable<Association.Waiter>.Limits(calls: self.callLimit, bytes: self.callBytes)
    }

    /// What others find in the node table.
    func record(endpoint: String) -> NodeRecord {
        NodeRecord(
            id: self.node, incarnation: self.incarnation, endpoint: self.advertise ?? endpoint,
            curveKeys: [self.keys.publicKey] + (self.nextPublicKey.map { [$0] } ?? []))
    }

    /// As libzmq takes it.
    var heartbeatMilliseconds: Int32 { Int32(clamping: Int(self.heartbeatTimeout / .milliseconds(1))) }
}
