import EventLog
import Subscriptions

extension FactBundle {
    /// The dedup key of what came under a UUID that had been used for something else.
    var variantKey: [UInt8] { self.dedupKey + self.contentDigest.bytes }

    /// The dedup key of what had come before with the same content, but signed at another time; nil for notifications:
    /// their UUID names them.
    var signingKey: [UInt8]? {
        guard self.source != .notification else { return nil }
        var bytes = self.dedupKey
        let dates = self.facts.transactions.map(\.signedDate) + [self.facts.renewal?.signedDate].compactMap(\.self)
        for date in [self.signedDate] + dates {
            withUnsafeBytes(of: date.milliseconds.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return ContentHash.sha256(bytes)
    }

    /// The dedup key of what people said with it: whether that changes anything is for the stream to say, never for the key.
    func linkKey(after version: StreamVersion) -> [UInt8] {
        var bytes = self.dedupKey + Array((self.link?.customer.rawValue ?? "").utf8)
        withUnsafeBytes(of: version.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
        return ContentHash.sha256(bytes)
    }

    /// Nothing but what people say.
    var isEmpty: Bool { self.facts.isEmpty && self.notification == nil && self.record == nil }

    /// Under which it may be stored already. Its variant key is stored only after its dedup key.
    var storedKeys: [[UInt8]] { [self.dedupKey] + [self.signingKey].compactMap(\.self) }

    /// The keys under which the very same, signed at the same time, may be in flight.
    var joinKeys: [[UInt8]] { self.signingKey.map { [$0] } ?? [self.dedupKey, self.variantKey] }
}

extension Transition {
    /// A timer's key is its stream, the transition and when it was due.
    func dedupKey(of stream: [UInt8]) -> [UInt8] {
        var bytes = stream
        bytes.append(0)
        bytes.append(contentsOf: self.name.rawValue.utf8)
        withUnsafeBytes(of: self.due.milliseconds.bigEndian) { bytes.append(contentsOf: $0) }
        return Array(ContentHash.sha256(bytes).prefix(20))
    }
}
