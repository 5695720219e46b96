/// What the owner of a shard has to know before it decides a batch.
package struct LoadRequest: Hashable, Sendable {
    package var shard: ShardID
    /// Of streams whose rows are wanted.
    package var keys: [[UInt8]]
    /// Of events that may be there already.
    package var dedupKeys: [[UInt8]]

    package init(shard: ShardID, keys: [[UInt8]] = [], dedupKeys: [[UInt8]] = []) {
        self.shard = shard
        self.keys = keys
        self.dedupKeys = dedupKeys
    }

    package var isEmpty: Bool { self.keys.isEmpty && self.dedupKeys.isEmpty }
}

/// What does not exist is missing.
package struct LoadAnswer: Hashable, Sendable {
    /// In the order of the keys.
    package var streams: [StreamRow]
    /// In the order of the dedup keys.
    package var events: [StoredEvent]

    package init(streams: [StreamRow] = [], events: [StoredEvent] = []) {
        self.streams = streams
        self.events = events
    }
}

extension EventStore {
    package func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer] {
        var answers: [LoadAnswer] = []
        for request in requests {
            answers.append(
                LoadAnswer(
                    streams: try await self.streams(request.keys, in: request.shard),
                    events: try await self.events(withDedupKeys: request.dedupKeys, in: request.shard)))
        }
        return answers
    }
}
