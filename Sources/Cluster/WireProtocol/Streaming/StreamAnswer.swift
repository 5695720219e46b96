/// What a subscriber is answered (proto: `StreamAnswer`).
package struct StreamAnswer: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case heads(StreamBeat)
        case snapshot(SnapshotPage)
        case changes(ChangesPage)
        case failure(StreamFailure)
        case rules(NumberedRules)
    }

    /// Of the request.
    package var id: UInt64
    package var content: Content

    package init(id: UInt64, _ content: Content) {
        self.id = id
        self.content = content
    }

    /// - Throws: `WireError` for bytes that are no answer.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try MessageReader.read(bytes, as: ProtoStreamAnswer.self) { reader throws(WireError) in
            try StreamAnswer(reader)
        }
    }

    package func encoded() -> [UInt8] {
        var writer = MessageWriter(reservingCapacity: 256)
        writer.write(self)
        return writer.bytes
    }
}

/// Some of a shard's streams in key order (proto: `SnapshotPage`).
package struct SnapshotPage: Hashable, Sendable {
    package var origin: StreamOrigin
    /// Before they were read.
    package var head: ServedHead
    package var images: [SubscriptionImage]
    /// Where the next page goes on; empty at the end.
    package var next: [UInt8]

    package init(origin: StreamOrigin, head: ServedHead, images: [SubscriptionImage], next: [UInt8]) {
        self.origin = origin
        self.head = head
        self.images = images
        self.next = next
    }
}

/// Some of a shard's events, each following the one before (proto: `ChangesPage`).
package struct ChangesPage: Hashable, Sendable {
    package var origin: StreamOrigin
    /// Before they were read; there is more while the last of them is before it.
    package var head: ServedHead
    package var deltas: [StreamDelta]

    package init(origin: StreamOrigin, head: ServedHead, deltas: [StreamDelta]) {
        self.origin = origin
        self.head = head
        self.deltas = deltas
    }
}

/// Why there is no answer (proto: `StreamFailure`).
package struct StreamFailure: Error, Hashable, Sendable {
    package enum Code: Int, Sendable, CaseIterable {
        case rewound = 1
        case notOwner, busy, unavailable, malformed
    }

    package var code: Code
    /// Milliseconds after which to ask again, for `busy` and `unavailable`.
    package var retryAfter: UInt32

    package init(_ code: Code, retryAfter: UInt32 = 0) {
        self.code = code
        self.retryAfter = retryAfter
    }
}
