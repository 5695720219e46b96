package import EventLog

/// Where a page of one stream's events, or of what is recorded beside subscriptions, ended: opaque text. It names the
/// last event given, as a `PositionToken` does.
package struct PageCursor: Hashable, Sendable {
    package let store: StoreStamp
    package let position: Position
    package let key: [UInt8]
    package let version: StreamVersion

    package init(store: StoreStamp, position: Position, key: [UInt8], version: StreamVersion) {
        self.store = store
        self.position = position
        self.key = key
        self.version = version
    }

    /// The place as a token, which knows how to be held against a store.
    package var token: PositionToken {
        PositionToken(store: self.store, positions: [self.position])
    }
}

extension PageCursor {
    package var text: String {
        var writer = TokenWriter(format: .page, store: self.store)
        writer.append(UInt64(self.position.shard.rawValue))
        writer.append(UInt64(self.position.sequence.rawValue))
        writer.append(UInt64(self.position.incarnationTag))
        writer.append(UInt64(self.version.rawValue))
        writer.append(self.key)
        return writer.text()
    }

    /// nil unless `text` is one that `text` writes.
    package init?(text: String) {
        guard var reader = TokenReader(text: text, format: .page), let shard = reader.number(as: UInt16.self),
            let sequence = reader.number(as: Int64.self), let tag = reader.number(as: UInt32.self),
            let version = reader.number(as: Int64.self), let key = reader.blob(), reader.isAtEnd
        else { return nil }
        self.store = reader.store
        self.position = Position(
            shard: ShardID(rawValue: shard), sequence: LogSequence(rawValue: sequence), incarnationTag: tag)
        self.version = StreamVersion(rawValue: version)
        self.key = key
    }
}
