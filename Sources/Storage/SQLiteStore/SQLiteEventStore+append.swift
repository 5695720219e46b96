package import EventLog
import GRDB
import Synchronization

extension SQLiteEventStore {
    package func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        let places = try ShardBatch.check(batches, shardCount: self.identity.shardCount)
        return try self.headers.withLock { headers throws(StoreError) in
            let (outcomes, learned) = try self.write { db in
                var appending = try Appending(db, headers: headers)
                for (index, batch) in batches.enumerated() {
                    try appending.append(batch, places: places[index])
                }
                return (appending.outcomes, appending.learned)
            }
            headers.learn(learned)
            return outcomes
        }
    }
}
