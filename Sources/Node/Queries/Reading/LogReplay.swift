package import Customers
package import EventLog
import Shards
package import Subscriptions
import WireProtocol

/// Rebuilds states from the log alone: what the rows of the streams say has no part in it. For comparing the two, and
/// for making the rows anew. May run beside writers: what is committed after it has come to a shard's end is left out.
package struct LogReplay: Sendable {
    /// A stream as its events leave it.
    package struct Stream: Sendable {
        package let key: StreamKey
        package fileprivate(set) var state: StreamState
        /// Of a stream that holds what people have said, whose `state` is empty; nil of any other.
        package fileprivate(set) var publisher: PublisherState?
        package fileprivate(set) var version: StreamVersion
    }

    private let store: any EventStore
    private let page: Int

    /// - Parameter page: how many events are read at a time.
    package init(store: any EventStore, page: Int = 1_024) {
        self.store = store
        self.page = page
    }

    /// Reads one shard's log in sequence order and folds it.
    /// - Returns: every stream of the shard, in the order of their first events.
    /// - Throws: `StoreError`, and for events that cannot be decoded.
    package func streams(of shard: ShardID) async throws -> [Stream] {
        var streams: [Stream] = []
        var places: [[UInt8]: Int] = [:]
        var sequence = LogSequence.zero
        while true {
            let events = try await self.store.events(in: shard, after: sequence, limit: self.page)
            for stored in events {
                let place = try places[stored.key] ?? Self.add(stored, to: &streams, &places)
                let event = try SubscriptionEvent(protoBytes: stored.body, key: streams[place].key)
                if streams[place].publisher == nil {
                    streams[place].state.apply(event)
                } else {
                    streams[place].publisher?.apply(event, at: Moment(milliseconds: stored.at))
                }
                streams[place].version = stored.version
            }
            guard events.count == self.page, let last = events.last else { return streams }
            sequence = last.sequence
        }
    }

    private static func add(
        _ stored: StoredEvent, to streams: inout [Stream], _ places: inout [[UInt8]: Int]
    ) throws -> Int {
        let key = try stored.streamKey
        places[stored.key] = streams.count
        streams.append(
            Stream(
                key: key, state: StreamState(key: key), publisher: PublisherState(of: key.kind), version: .zero))
        return streams.count - 1
    }

    /// Replays several shards, on as many cores as there are: shards have nothing in common.
    /// - Parameters:
    ///   - width: how many shards are in memory at a time.
    ///   - use: gets each shard's streams when they are finished; several calls may be under way.
    package func replay(
        _ shards: [ShardID], width: Int, _ use: @Sendable @escaping (ShardID, [Stream]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, shard) in shards.enumerated() {
                if index >= width { try await group.next() }
                group.addTask { try await use(shard, try await self.streams(of: shard)) }
            }
            try await group.waitForAll()
        }
    }
}
