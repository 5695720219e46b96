/// An event as the log holds it.
package struct StoredEvent: Hashable, Sendable {
    package var shard: ShardID
    package var sequence: Sequence
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
        shard: ShardID, sequence: Sequence, epoch: Epoch, key: [UInt8], version: StreamVersion, kind: String,
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

/// What is authentic but not for this configuration (domain: quarantine).
package struct QuarantinedPayload: Hashable, Sendable {
    /// Grows with each row; 0 before it is stored.
    package var id: Int64
    /// SHA-256 of `raw`: the same payload is kept once.
    package var digest: [UInt8]
    /// A word for programs, e.g. `unknownApp`.
    package var reason: String
    /// A sentence for people; never the payload.
    package var detail: String
    /// Milliseconds since 1970.
    package var receivedAt: Int64
    /// The signedPayload as it came.
    package var raw: [UInt8]

    package init(id: Int64 = 0, digest: [UInt8], reason: String, detail: String, receivedAt: Int64, raw: [UInt8]) {
        self.id = id
        self.digest = digest
        self.reason = reason
        self.detail = detail
        self.receivedAt = receivedAt
        self.raw = raw
    }
}
