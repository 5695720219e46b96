package import EventLog

/// One durable event of a shard, as subscribers get it (proto: `Delta`).
package struct StreamDelta: Hashable, Sendable {
    package var origin: StreamOrigin
    /// Of the owner that wrote it.
    package var epoch: Epoch
    /// Where the log stood before; nil where the node does not know.
    package var previous: StreamPosition?
    package var position: StreamPosition
    package var image: SubscriptionImage

    package init(
        origin: StreamOrigin, epoch: Epoch, previous: StreamPosition?, position: StreamPosition,
        image: SubscriptionImage
    ) {
        self.origin = origin
        self.epoch = epoch
        self.previous = previous
        self.position = position
        self.image = image
    }

    /// - Throws: `WireError` for bytes that are no delta.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoDelta.self) { reader throws(WireError) in
            try StreamDelta(reader)
        }
    }

    /// With the topic before it: all of a published message.
    package func published(in shard: ShardID) -> [UInt8] {
        var writer = MessageWriter(
            reservingCapacity: 80 + self.image.key.count + self.image.entitlement.count
                + (self.image.customer?.count ?? 0))
        writer.write(raw: StreamTopic.shard(shard).bytes)
        writer.write(self)
        return writer.bytes
    }
}

/// A stream as one event has left it (proto: `SubscriptionImage`).
package struct SubscriptionImage: Hashable, Sendable {
    /// A `StreamKey`'s bytes.
    package var key: [UInt8]
    package var version: StreamVersion
    /// An encoded `EntitlementRow`.
    package var entitlement: [UInt8]
    /// Those that lead to the stream since the event; nil where that is not said, and it may be any.
    package var lookups: [Lookup]?
    /// An encoded `CustomerImage`; nil where none was made.
    package var customer: [UInt8]?

    package init(
        key: [UInt8], version: StreamVersion, entitlement: [UInt8], lookups: [Lookup]? = nil, customer: [UInt8]? = nil
    ) {
        self.key = key
        self.version = version
        self.entitlement = entitlement
        self.lookups = lookups
        self.customer = customer
    }
}
