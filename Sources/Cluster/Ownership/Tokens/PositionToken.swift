package import EventLog

/// Places in some shards' logs, as opaque text (some 3 KB for 256 shards, 75 KB at most): a consistency token, or the cursor
/// of the change stream. It names its store and the incarnation that wrote each place, so that another store, or a rewound and
/// regrown log, is noticed. A shard that it does not mention stands before its first event.
package struct PositionToken: Hashable, Sendable {
    package let store: StoreStamp
    /// In shard order, each shard once.
    package let positions: [Position]

    /// No text of a token or a page's cursor has more bytes.
    package static let longestText = TokenFormat.maximumLength

    /// - Parameter positions: of a shard that is there more than once the furthest counts.
    package init(store: StoreStamp, positions: [Position]) {
        self.store = store
        let sorted = positions.filter { $0.sequence > .zero }.sorted {
            ($0.shard, $0.sequence) < ($1.shard, $1.sequence)
        }
        self.positions = sorted.reduce(into: []) { places, position in
            if places.last?.shard == position.shard { places.removeLast() }
            places.append(position)
        }
    }
}

extension PositionToken {
    /// Few incarnations write a log, so each is written once and the positions point to it.
    package var text: String {
        var tags = [UInt32]()
        var indices = [UInt32: UInt64]()
        for position in self.positions where indices[position.incarnationTag] == nil {
            indices[position.incarnationTag] = UInt64(tags.count)
            tags.append(position.incarnationTag)
        }
        var writer = TokenWriter(format: .positions, store: self.store)
        writer.append(UInt64(tags.count))
        for tag in tags { writer.append(UInt64(tag)) }
        var next: UInt64 = 0
        for position in self.positions {
            let shard = UInt64(position.shard.rawValue)
            writer.append(shard - next)
            next = shard + 1
            writer.append(UInt64(position.sequence.rawValue))
            writer.append(indices[position.incarnationTag] ?? 0)
        }
        return writer.text()
    }

    /// nil unless `text` is one that `text` writes.
    package init?(text: String) {
        guard var reader = TokenReader(text: text, format: .positions),
            let tagCount = reader.number(as: UInt16.self)
        else { return nil }
        var tags = [UInt32]()
        for _ in 0..<tagCount {
            guard let tag = reader.number(as: UInt32.self) else { return nil }
            tags.append(tag)
        }
        var positions = [Position]()
        var next: UInt64 = 0
        while !reader.isAtEnd {
            guard let gap = reader.number(as: UInt16.self), let shard = UInt16(exactly: next + UInt64(gap)),
                let sequence = reader.number(as: Int64.self), sequence > 0,
                let index = reader.number(as: UInt16.self), index < tags.count
            else { return nil }
            positions.append(
                Position(
                    shard: ShardID(rawValue: shard), sequence: LogSequence(rawValue: sequence),
                    incarnationTag: tags[Int(index)]))
            next = UInt64(shard) + 1
        }
        self.store = reader.store
        self.positions = positions
    }
}
