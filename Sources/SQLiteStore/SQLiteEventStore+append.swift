package import EventSourcing
import GRDB
import Synchronization

extension SQLiteEventStore {
    package func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        let places = try ShardBatch.check(batches, shardCount: self.identity.shardCount)
        // Before the transaction: whoever waits for the writer then waits for SQLite alone.
        let evidence = try batches.map { batch throws(StoreError) in
            try batch.events.map { event throws(StoreError) in
                event.evidence.isEmpty ? nil : try self.codec.encode(event.evidence)
            }
        }
        return try self.headers.withLock { headers throws(StoreError) in
            let (outcomes, learned) = try self.write { db in
                var appending = try Appending(db, headers: headers)
                for (index, batch) in batches.enumerated() {
                    try appending.append(batch, places: places[index], evidence: evidence[index])
                }
                return (appending.outcomes, appending.learned)
            }
            headers.learn(learned)
            return outcomes
        }
    }
}
