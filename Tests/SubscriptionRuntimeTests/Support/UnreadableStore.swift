import EventSourcing
import PerennialTestSupport
import Synchronization

/// A store in which the row of one id cannot be read.
final class UnreadableStore: ForwardingStore {
    let inner: any EventStore = InMemoryEventStore(shardCount: 16)
    let spoils = Mutex<String?>(nil)

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        let spoilt = self.spoils.withLock(\.self).map { Array($0.utf8) }
        return try await self.inner.streams(withPrefixes: prefixes, limit: limit).map { rows in
            rows.map { row in
                var row = row
                if let spoilt, row.key.dropFirst().starts(with: spoilt) {
                    row.entitlement = [2]
                    row.state = [0xFF]
                }
                return row
            }
        }
    }
}
