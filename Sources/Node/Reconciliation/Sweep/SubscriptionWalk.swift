import EventLog
import Subscriptions

/// Goes through the subscriptions of shards, in the order of their keys.
struct SubscriptionWalk: ~Copyable {
    private static let pageSize = 256

    private let store: any EventStore
    private var shards: [ShardID]
    private var last: [UInt8]?
    private var page: [StreamKey] = []

    /// - Parameter last: of the first shard, the key after which it begins; nil for its beginning.
    init(of shards: [ShardID], after last: [UInt8]? = nil, in store: any EventStore) {
        self.store = store
        self.shards = shards.reversed()
        self.last = last
    }

    /// nil at the end.
    mutating func next() async throws(StoreError) -> StreamKey? {
        while self.page.isEmpty {
            guard let shard = self.shards.last else { return nil }
            let rows = try await self.store.streams(in: shard, after: self.last, limit: Self.pageSize)
            self.page = rows.compactMap { StreamKey(bytes: $0.key) }.filter { $0.kind == .subscription }.reversed()
            self.last = rows.last?.key
            if rows.count < Self.pageSize {
                self.shards.removeLast()
                self.last = nil
            }
        }
        return self.page.removeLast()
    }
}
