import Customers
import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions

extension HoldingsReader {
    /// What is stored under these keys, as of then, from the logs.
    func load(_ keys: Set<[UInt8]>, asOf past: PastMoment) async throws -> Loaded {
        var loaded = Loaded()
        for bytes in keys {
            guard let key = StreamKey(bytes: bytes) else { continue }
            let events = try await self.store.storedHistory(of: key, in: self.map.shard(of: key.id)).map { stored in
                (at: Moment(milliseconds: stored.at), event: try stored.decoded())
            }
            guard !events.isEmpty else { continue }
            if var kept = PublisherState(of: key.kind) {
                let said = events.filter { $0.at <= past.saidBy }
                for (at, event) in said { kept.apply(event, at: at) }
                loaded.publisher[bytes] = (kept, StreamVersion(rawValue: Int64(said.count)), nil)
            } else if let state = StreamHistory(key: key, events: events).state(
                at: past.at, knownAt: past.knownAt ?? .distantFuture, ledAt: past.saidBy)
            {
                loaded.streams[bytes] = state
            }
        }
        return loaded
    }
}
