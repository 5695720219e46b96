import EventLog
import InMemoryStore
import PerennialTestSupport
import Synchronization

/// A store in which the row of one id cannot be read.
final class UnreadableStore: ForwardingStore {
    let inner: any EventStore = InMemoryEventStore(shardCount: 16)
    let spoils = Mutex<String?>(nil)
    /// Whoever asks for that row, among others, gets none.
    let failsStatements: Bool

    init(failsStatements: Bool = false) { self.failsStatements = failsStatements }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        let spoilt = self.spoils.withLock(\.self).map { Array($0.utf8) }
        if let spoilt, self.failsStatements, prefixes.contains(where: { $0.prefix.dropFirst().starts(with: spoilt) }) {
            throw StoreError(.corrupt, "as the test says")
        }
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
