import EventLog
import Ownership
import Shards
import Subscriptions

/// Reads the durable state of a stream of any owner.
struct StreamInspector: Sendable {
    let router: ShardRouter

    /// nil for a stream without an event.
    func state(of key: StreamKey) async throws -> StreamState? {
        let shard = self.router.map.shard(of: key.id)
        guard let row = try await self.router.store.streams([key.bytes], in: shard).first else { return nil }
        return try await self.router.store.loadState(row, key: key, in: shard)
    }
}
