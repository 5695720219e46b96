import Subscriptions

/// What a stream is looked for by.
struct StreamName {
    /// Of a decimal id; nil for a text.
    let number: UInt64?
    let hash: UInt64
    let kind: StreamKind
    let app: UInt32
    /// Not a part of the name: the id decides it.
    let shard: Int

    func word(shard: Int) -> NameWord {
        NameWord(kind: self.kind, isText: self.number == nil, shard: UInt16(shard), app: self.app)
    }
}

extension MirrorEntry {
    /// - Parameter id: the bytes of `name`'s id.
    func hasID(_ name: StreamName, _ id: UnsafeRawBufferPointer) -> Bool {
        if let number = name.number { return self.id == number }
        return self.text.bytes.elementsEqual(id)
    }
}

/// An `EntitlementRow` whose names are numbers.
struct MirroredRow {
    struct Phase {
        /// Milliseconds since 1970.
        var from: Int64
        var entitled: Bool
        /// The number of a `Standing`.
        var standing: Int

        var fitsWord: Bool {
            (0...PhaseWord.maximumFrom).contains(self.from) && self.standing <= PhaseWord.maximumStanding
        }
        /// - Precondition: `fitsWord`.
        var word: UInt64 { PhaseWord(from: self.from, entitled: self.entitled, standing: self.standing).bits }
        /// Beside `from`, which has a word of its own.
        var blockWord: UInt64 { UInt64(self.standing) << 1 | (self.entitled ? 1 : 0) }
    }

    var version: Int64
    var phases: [Phase]
}
