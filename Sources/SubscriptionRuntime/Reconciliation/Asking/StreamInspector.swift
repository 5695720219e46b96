import EventSourcing
import Sharding
import Subscriptions

/// Reads the durable state of a stream, whoever owns it.
struct StreamInspector: Sendable {
    let node: ShardNode

    /// nil for a stream without an event.
    func state(of key: StreamKey) async throws -> StreamState? {
        let shard = self.node.map.shard(of: key.id)
        guard let row = try await self.node.store.streams([key.bytes], in: shard).first else { return nil }
        return try await self.node.store.loadState(row, key: key, in: shard)
    }
}
