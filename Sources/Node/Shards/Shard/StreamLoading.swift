package import Customers
package import EventLog
import ServiceContract
package import Subscriptions
import Waiting
import WireProtocol

/// How many events of one stream are read at a time.
private let historyPage = 512

/// Rows of the store as states. A row that was folded by other rules than this binary's is derived anew from the log.
extension EventStore {
    package func loadState(_ row: StreamRow, key: StreamKey, in shard: ShardID) async throws -> StreamState {
        let stored = try StoredState(protoBytes: row.state, key: key)
        guard stored.logicVersion != StreamState.logicVersion else { return stored.state }
        // What is read in one piece is folded where it is asked for: after an update that are many, and each is little.
        guard row.version.rawValue >= historyPage else { return try await self.fold(key, in: shard) }
        return try await FoldingThreads.shared.run { try await self.fold(key, in: shard) }
    }

    private func fold(_ key: StreamKey, in shard: ShardID) async throws -> StreamState {
        var state = StreamState(key: key)
        for (_, event) in try await self.history(of: key, in: shard) { state.apply(event) }
        return state
    }

    /// The state in the row of a stream that holds what people have said; nil for streams of other kinds.
    package func loadPublisherState(_ row: StreamRow, key: StreamKey, in shard: ShardID) async throws -> PublisherState?
    {
        guard var kept = PublisherState(of: key.kind) else { return nil }
        switch kept {
        case .customer:
            let stored = try StoredCustomerState(protoBytes: row.state)
            guard stored.logicVersion != CustomerState.logicVersion else { return .customer(stored.state) }
        case .identifier:
            let stored = try StoredRegisteredIdentifier(protoBytes: row.state)
            guard stored.logicVersion != RegisteredIdentifier.logicVersion else { return .identifier(stored.state) }
        }
        for (at, event) in try await self.history(of: key, in: shard) { kept.apply(event, at: at) }
        return kept
    }

    /// An entry for each of these keys; empty where there is no row.
    package func entries(
        _ keys: [[UInt8]: StreamKey], of rows: [StreamRow], in shard: ShardID
    ) async throws -> [[UInt8]: StreamEntry] {
        var entries = keys.mapValues(StreamEntry.init(key:))
        for row in rows {
            guard let key = keys[row.key] else { continue }
            entries[row.key] =
                if let publisher = try await self.loadPublisherState(row, key: key, in: shard) {
                    StreamEntry(row, state: StreamState(key: key), publisher: publisher)
                } else {
                    StreamEntry(row, state: try await self.loadState(row, key: key, in: shard))
                }
        }
        return entries
    }

    /// The whole log of one stream, oldest first.
    package func history(of key: StreamKey, in shard: ShardID) async throws -> [(at: Moment, event: SubscriptionEvent)]
    {
        try await self.storedHistory(of: key, in: shard).map { (Moment(milliseconds: $0.at), try $0.decoded()) }
    }

    /// The same as it is stored.
    package func storedHistory(of key: StreamKey, in shard: ShardID) async throws -> [StoredEvent] {
        let keyBytes = key.bytes
        var history: [StoredEvent] = []
        while true {
            let events = try await self.events(
                of: keyBytes, in: shard, after: history.last?.version ?? .zero, limit: historyPage)
            history += events
            guard events.count == historyPage else { return history }
        }
    }

    /// Shows `visit` the events of one stream with the moment each was recorded, newest first, until it has seen enough.
    /// - Parameter version: of the newest one.
    package func walkBack(
        through key: StreamKey, in shard: ShardID, from version: StreamVersion,
        _ visit: (_ at: Moment, SubscriptionEvent) -> Bool
    ) async throws {
        let page: Int64 = 256
        let keyBytes = key.bytes
        var end = version.rawValue
        while end > 0 {
            let start = max(0, end - page)
            let events = try await self.events(
                of: keyBytes, in: shard, after: StreamVersion(rawValue: start), limit: Int(end - start))
            for event in events.reversed() {
                guard visit(Moment(milliseconds: event.at), try event.decoded()) else { return }
            }
            end = start
        }
    }
}

extension LoadAnswer {
    /// What the log holds, by dedup key.
    package func deliveries() throws -> [[UInt8]: Delivery] {
        var deliveries: [[UInt8]: Delivery] = [:]
        for stored in self.events {
            let event = try stored.decoded()
            deliveries[stored.dedupKey] = Delivery(
                contentDigest: event.contentDigest,
                place: SubmissionOutcome.Place(version: stored.version, sequence: stored.sequence))
        }
        return deliveries
    }
}

extension StoredEvent {
    package var streamKey: StreamKey {
        get throws(ServiceError) {
            guard let key = StreamKey(bytes: self.key) else {
                throw ServiceError(.corrupt, "an event without a stream")
            }
            return key
        }
    }

    package func decoded() throws -> SubscriptionEvent {
        try SubscriptionEvent(protoBytes: self.body, key: self.streamKey)
    }
}
