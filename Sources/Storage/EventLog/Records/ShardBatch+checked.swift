extension ShardBatch {
    /// What every store holds a batch against before it touches anything.
    /// - Returns: for each batch the places of its stream rows by key.
    /// - Throws: `.conflict` when a shard comes twice or does not exist, when a stream's row comes twice, or when an
    ///   event or a look-up belongs to a stream without a row, and when a row of the outbox is for no shard.
    package static func check(
        _ batches: [ShardBatch], shardCount: Int
    ) throws(StoreError) -> [[[UInt8]: Int]] {
        var shards = Set<ShardID>()
        var places: [[[UInt8]: Int]] = []
        for batch in batches {
            guard batch.shard.rawValue < shardCount, shards.insert(batch.shard).inserted else {
                throw StoreError(.conflict, "shard \(batch.shard.rawValue) comes twice in an append, or is none")
            }
            guard batch.outbox.allSatisfy({ $0.shard.rawValue < shardCount }) else {
                throw StoreError(.conflict, "a row of the outbox is for a shard that the store does not have")
            }
            places.append(try batch.placesOfStreams())
        }
        return places
    }

    private func placesOfStreams() throws(StoreError) -> [[UInt8]: Int] {
        var places = [[UInt8]: Int](minimumCapacity: self.streams.count)
        for (place, row) in self.streams.enumerated() {
            guard places.updateValue(place, forKey: row.key) == nil else {
                throw StoreError(.conflict, "the row of a stream comes twice in one batch")
            }
        }
        guard self.events.allSatisfy({ places[$0.key] != nil }), self.lookups.allSatisfy({ places[$0.key] != nil })
        else { throw StoreError(.conflict, "an event or a look-up is of a stream without a row in its batch") }
        return places
    }
}
