import Crypto
package import EventLog

/// What is sent: the same bytes under the same id however often it has to be.
package struct WebhookMessage: Hashable, Sendable {
    /// `webhook-id`: what a receiver tells repetitions by.
    package let id: String
    package let body: [UInt8]

    package init(id: String, body: [UInt8]) {
        self.id = id
        self.body = body
    }

    package init(_ event: StoredEvent, of store: StoreIdentity, body: [UInt8]) {
        self.init(id: Self.id(of: event, in: store), body: body)
    }

    /// Made of the event's place in the log and of its content: a log that lost commits may have another event at the
    /// same place later.
    package static func id(of event: StoredEvent, in store: StoreIdentity) -> String {
        var hash = SHA256()
        for number in [
            Int64(bitPattern: store.storeID), Int64(event.shard.rawValue),
            event.sequence.rawValue, event.epoch.rawValue, event.version.rawValue, event.at,
        ] {
            withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
        }
        hash.update(data: event.key)
        hash.update(data: event.dedupKey)
        let digits = hash.finalize().prefix(16).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }
        return "msg_\(digits.joined())"
    }

    /// The header fields of one attempt.
    /// - Parameter seconds: since 1970, of the attempt; receivers refuse what is too far from their own clocks.
    package func fields(signedWith keys: [WebhookKey], at seconds: Int64) -> [(name: String, value: String)] {
        let content = Array("\(self.id).\(seconds).".utf8) + self.body
        return [
            ("webhook-id", self.id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", keys.compactMap { $0.signature(of: content) }.joined(separator: " ")),
        ]
    }
}
