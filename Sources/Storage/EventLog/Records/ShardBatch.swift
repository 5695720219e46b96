/// What one commit adds to one shard. All of it lands, or, when the fence does not hold, none.
package struct ShardBatch: Sendable {
    package var shard: ShardID
    /// The fence: the shard's row must still say exactly this.
    package var epoch: Epoch
    package var incarnation: Incarnation
    package var head: LogSequence

    /// In order; they get `head + 1`, `head + 2` … Two events of one stream are normal.
    package var events: [NewEvent]
    /// The rows of the streams touched, as they are after `events`, each once: of every stream that `events` or `lookups`
    /// name, and of streams without an event here, when only watermarks rose.
    package var streams: [StreamRow]
    package var lookups: [Lookup]
    /// What has to follow in streams of any shard, as rows of the inbox. They are durable when the events are.
    package var outbox: [InboxRow]

    package init(
        shard: ShardID, epoch: Epoch, incarnation: Incarnation, head: LogSequence, events: [NewEvent],
        streams: [StreamRow] = [], lookups: [Lookup] = [], outbox: [InboxRow] = []
    ) {
        self.shard = shard
        self.epoch = epoch
        self.incarnation = incarnation
        self.head = head
        self.events = events
        self.streams = streams
        self.lookups = lookups
        self.outbox = outbox
    }
}

/// What became of one shard's part of a batch.
package enum AppendOutcome: Hashable, Sendable {
    case appended(head: LogSequence)
    /// Epoch, incarnation or head were not as expected: somebody else owns the shard, or the log was rewound.
    case fenced
}

package struct NewEvent: Sendable {
    package var key: [UInt8]
    package var version: StreamVersion
    /// The domain's name of the event.
    package var kind: String
    /// Unique in the shard.
    package var dedupKey: [UInt8]
    /// Milliseconds since 1970, of the commit as the owner's clock sees it; never goes back within a shard.
    package var at: Int64
    package var body: [UInt8]
    /// The entitlement after the event.
    package var entitlement: [UInt8]
    /// The signed originals; nil for timers and announcements.
    package var evidence: EncodedEvidence?

    package init(
        key: [UInt8], version: StreamVersion, kind: String, dedupKey: [UInt8], at: Int64, body: [UInt8],
        entitlement: [UInt8], evidence: EncodedEvidence? = nil
    ) {
        self.key = key
        self.version = version
        self.kind = kind
        self.dedupKey = dedupKey
        self.at = at
        self.body = body
        self.entitlement = entitlement
        self.evidence = evidence
    }
}

/// One signed original, byte for byte as it came. A notification has only `signedPayload`, which holds the nested ones.
package struct EvidencePart: Hashable, Sendable {
    package enum Name: UInt8, Sendable {
        case signedPayload = 1
        case signedTransactionInfo = 2
        case signedRenewalInfo = 3
    }

    package var name: Name
    package var jws: [UInt8]

    package init(name: Name, jws: [UInt8]) {
        self.name = name
        self.jws = jws
    }
}

/// The evidence of an event, as it is read back.
package enum Evidence: Hashable, Sendable {
    case kept([EvidencePart])
    /// The originals were erased on request; SHA-256 of what was there.
    case erased(sha256: [UInt8])
}

/// The newest state of one stream.
package struct StreamRow: Hashable, Sendable {
    package var key: [UInt8]
    package var version: StreamVersion
    /// Of the stream's newest event.
    package var sequence: LogSequence
    package var state: [UInt8]
    package var entitlement: [UInt8]
    /// When the owner has to look at the stream again, milliseconds since 1970; nil for never.
    package var nextDue: Int64?

    package init(
        key: [UInt8], version: StreamVersion, sequence: LogSequence, state: [UInt8], entitlement: [UInt8],
        nextDue: Int64?
    ) {
        self.key = key
        self.version = version
        self.sequence = sequence
        self.state = state
        self.entitlement = entitlement
        self.nextDue = nextDue
    }
}
