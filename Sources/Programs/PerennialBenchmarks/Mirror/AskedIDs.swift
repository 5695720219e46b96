import Mirroring

/// Ids of seeded subscriptions in random order, as a request has them: text, one after the other.
struct AskedIDs {
    /// For a dictionary.
    let texts: [String]
    /// The same, sixteen digits each.
    let bytes: [UInt8]

    init(count: Int, of total: Int) {
        let all = SubscriptionIDs(count: total)
        self.texts = all.shuffled().prefix(count).map { all[$0] }
        self.bytes = self.texts.flatMap { Array($0.utf8) }
    }

    @inline(__always)
    static func id(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> MirrorID {
        MirrorID(utf8: self.text(number, bytes))
    }

    @inline(__always)
    static func text(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(number * 16)..<(number * 16 + 16)])
    }
}
