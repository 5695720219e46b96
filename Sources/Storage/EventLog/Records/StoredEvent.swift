/// An event as the log holds it.
package struct StoredEvent: Hashable, Sendable {
    package var shard: ShardID
    package var sequence: LogSequence
    package var epoch: Epoch
    package var key: [UInt8]
    package var version: StreamVersion
    package var kind: String
    package var dedupKey: [UInt8]
    /// Milliseconds since 1970.
    package var at: Int64
    package var body: [UInt8]
    package var entitlement: [UInt8]

    package init(
        shard: ShardID, sequence: LogSequence, epoch: Epoch, key: [UInt8], version: StreamVersion, kind: String,
        dedupKey: [UInt8], at: Int64, body: [UInt8], entitlement: [UInt8]
    ) {
        self.shard = shard
        self.sequence = sequence
        self.epoch = epoch
        self.key = key
        self.version = version
        self.kind = kind
        self.dedupKey = dedupKey
        self.at = at
        self.body = body
        self.entitlement = entitlement
    }
}
