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

    var word: NameWord {
        NameWord(kind: self.kind, isText: self.number == nil, shard: UInt16(self.shard), app: self.app)
    }
}

extension MirrorEntry {
    /// Whether it has this id, in whatever app.
    /// - Parameter id: the bytes of `name`'s id.
    func isOf(_ id: UnsafeRawBufferPointer, _ name: StreamName) -> Bool {
        guard (self.name.bits ^ name.word.bits) & (NameWord.kindMask | NameWord.text) == 0 else { return false }
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
        /// Beside `from`, which has a word of its own.
        var blockWord: UInt64 { UInt64(self.standing) << 1 | (self.entitled ? 1 : 0) }
    }

    var version: Int64
    var phases: [Phase]

    /// Four words; nil when the phases need a block.
    var words: [UInt64]? {
        guard self.phases.count <= 4, self.phases.allSatisfy(\.fitsWord),
            zip(self.phases, self.phases.dropFirst()).allSatisfy({ $0.from <= $1.from })
        else { return nil }
        let words = self.phases.indices.map { index in
            let phase = self.phases[index]
            let end = phase.entitled ? self.phases[index...].firstIndex { !$0.entitled } : nil
            return PhaseWord(
                from: phase.from, entitled: phase.entitled, end: end ?? 0, standing: phase.standing
            ).bits
        }
        return words + Array(repeating: PhaseWord.absent, count: 4 - words.count)
    }
}
