package import EventLog

/// The heads of all shards that a node owns and may answer for (proto: `Beat`).
package struct StreamBeat: Hashable, Sendable {
    package var origin: StreamOrigin
    /// The node's configured name.
    package var node: String
    /// Of the socket that answers questions.
    package var servicePort: UInt16
    package var shardCount: Int
    package var heads: [ServedHead]

    package init(origin: StreamOrigin, node: String, servicePort: UInt16, shardCount: Int, heads: [ServedHead]) {
        self.origin = origin
        self.node = node
        self.servicePort = servicePort
        self.shardCount = shardCount
        self.heads = heads
    }

    /// - Throws: `WireError` for bytes that are no beat.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoBeat.self) { reader throws(WireError) in
            try StreamBeat(reader)
        }
    }

    /// With the topic before it: all of a published message.
    package func published() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 64 + 32 * self.heads.count)
        writer.write(raw: StreamTopic.beat.bytes)
        writer.write(self)
        return writer.bytes
    }
}

/// How far a shard's log is durable, as its owner says (proto: `ServedHead`).
package struct ServedHead: Hashable, Sendable {
    package var shard: ShardID
    package var epoch: Epoch
    package var position: StreamPosition
    /// Names what the owner makes entitlements by; the same for an epoch.
    package var rules: UInt32
    /// Names the rules that the node answers for customers by; 0 where it does not tell of customers.
    package var customerRules: UInt32

    package init(shard: ShardID, epoch: Epoch, position: StreamPosition, rules: UInt32, customerRules: UInt32 = 0) {
        self.shard = shard
        self.epoch = epoch
        self.position = position
        self.rules = rules
        self.customerRules = customerRules
    }
}
