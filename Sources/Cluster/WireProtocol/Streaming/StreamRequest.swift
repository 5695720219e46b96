package import EventLog

/// What a subscriber asks (proto: `StreamRequest`).
package struct StreamRequest: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// For the heads of all shards that the node owns.
        case probe
        /// For a page of a shard's streams, after a key; limit 0 leaves their number to the node.
        case snapshot(ShardID, after: [UInt8], limit: UInt32)
        /// For a page of a shard's events.
        case changes(ShardID, after: StreamPosition, limit: UInt32)
        /// For the rules that the node answers for customers by.
        case rules
    }

    /// Of the subscriber's choice; the answer has it as well.
    package var id: UInt64
    package var content: Content
    /// Images of pages are to have what answers by customer need.
    package var withCustomers: Bool

    package init(id: UInt64, _ content: Content, withCustomers: Bool = false) {
        self.id = id
        self.content = content
        self.withCustomers = withCustomers
    }

    /// - Throws: `WireError` for bytes that are no request, or ask nothing that is known.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoStreamRequest.self) { reader throws(WireError) in
            try StreamRequest(reader)
        }
    }

    package func encoded() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 64)
        writer.write(self)
        return writer.bytes
    }
}
