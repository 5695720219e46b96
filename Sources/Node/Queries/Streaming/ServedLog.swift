import Entitlements
package import EventLog
package import ServiceContract
package import Shards
import Subscriptions
package import WireProtocol

/// What this node may tell subscribers of the shards that it owns. Each answer is held against the node's own read deadline
/// when it is ready.
package struct ServedLog: Sendable {
    let store: any EventStore
    let positions: PositionGuard
    package let renewer: ImageRenewer
    private let toldRules: ToldRules
    package let node: NodeID

    package init(
        store: any EventStore, positions: PositionGuard, renewer: ImageRenewer, rules: ToldRules, node: NodeID
    ) {
        self.store = store
        self.positions = positions
        self.renewer = renewer
        self.toldRules = rules
        self.node = node
    }

    package var origin: StreamOrigin { StreamOrigin(self.store.identity) }
    package var shardCount: Int { self.store.identity.shardCount }

    /// By what the node answers for customers.
    package var rules: NumberedRules { self.toldRules.numbered }

    // MARK: Heads

    /// Of all shards that this node owns and may answer for; it waits for nothing.
    /// - Returns: and the shards of which only the store knows who wrote the newest event: `learn(_:)` asks it.
    package func heads() -> (known: [ServedHead], unknown: [ShardID]) {
        var generations = 0
        var known: [ServedHead] = []
        var unknown: [ShardID] = []
        for parts in self.positions.shards where parts.isOurs {
            // Before the head.
            let generation = parts.status.generation
            guard let epoch = parts.status.epoch, let head = try? parts.status.head() else { continue }
            guard let tag = head.tag else {
                unknown.append(parts.shard)
                continue
            }
            let position = StreamPosition(sequence: head.sequence, tag: tag)
            known.append(self.head(of: parts.shard, epoch, position))
            generations += generation
        }
        guard self.mayAnswer(for: known.map(\.shard), since: generations) else { return ([], []) }
        return (known, unknown)
    }

    private func mayAnswer(for shards: [ShardID], since generation: Int) -> Bool {
        do {
            try self.positions.confirm(shards, since: generation)
            return true
        } catch {
            return false
        }
    }

    /// Asks the store who wrote the newest events of these shards, so that the next `heads()` knows. What cannot be learned
    /// now is left out.
    package func learn(_ shards: [ShardID]) async {
        for shard in shards { _ = try? await self.positions.ownHead(of: shard) }
    }

    private func head(of shard: ShardID) async throws -> ServedHead {
        guard Int(shard.rawValue) < self.shardCount else { throw StreamFailure(.malformed) }
        guard self.positions.isOurs(shard), let epoch = self.positions.shards[Int(shard.rawValue)].status.epoch else {
            throw StreamFailure(.notOwner)
        }
        let position = try await self.positions.ownHead(of: shard)
        return self.head(of: shard, epoch, StreamPosition(position))
    }

    private func head(of shard: ShardID, _ epoch: Epoch, _ position: StreamPosition) -> ServedHead {
        ServedHead(
            shard: shard, epoch: epoch, position: position, rules: self.renewer.fingerprint.rawValue,
            customerRules: self.rules.fingerprint)
    }

    /// Whether this node owns the shard and may speak for it at this moment.
    package func mayAnswer(for shard: ShardID) -> Bool {
        self.positions.isOurs(shard) && self.mayAnswer(for: [shard], since: self.positions.generation(of: [shard]))
    }

    // MARK: Events

    /// The shard's events after a sequence, up to what its owner knows to be durable.
    /// - Throws: `.notOwner` unless that is this node; retryable codes.
    package func events(
        in shard: ShardID, after sequence: LogSequence, limit: Int
    ) async throws(ServiceError) -> ArraySlice<StoredEvent> {
        try await ServiceError.translating {
            let head = try await self.positions.ownHead(of: shard)
            return try await self.store.events(in: shard, after: sequence, limit: limit).upTo(head.sequence)
        }
    }

    package var describer: ChangeDescriber { ChangeDescriber(store: self.store) }

    // MARK: Pages

    /// The shard's subscriptions and purchases in key order, after `key`.
    /// - Parameter withCustomers: also what people have said, and what answers by customer need of all.
    package func snapshot(
        of shard: ShardID, after key: [UInt8], limit: Int, withCustomers: Bool
    ) async throws(StreamFailure) -> SnapshotPage {
        try await Self.translating {
            let generation = self.positions.generation(of: [shard])
            let head = try await self.head(of: shard)
            let rows = try await self.store.streams(in: shard, after: key.isEmpty ? nil : key, limit: limit)
            let images = try await self.renewer.images(of: rows, in: shard, withCustomers: withCustomers)
            try self.positions.confirm([shard], since: generation)
            let next = rows.count < limit ? [] : rows.last?.key ?? []
            return SnapshotPage(origin: self.origin, head: head, images: images, next: next)
        }
    }

    /// The shard's events after a position, up to its head.
    /// - Parameter withCustomers: each event has what answers by customer need of its stream.
    /// - Throws: `.rewound` when the log does not hold that position.
    package func changes(
        of shard: ShardID, after position: StreamPosition, limit: Int, withCustomers: Bool
    ) async throws(StreamFailure) -> ChangesPage {
        try await Self.translating {
            let generation = self.positions.generation(of: [shard])
            let head = try await self.head(of: shard)
            try await self.positions.check(position.position(in: shard))
            let events = try await self.store.events(in: shard, after: position.sequence, limit: limit)
                .upTo(head.position.sequence)
            var deltas = try await self.deltas(events, after: position)
            if withCustomers { try await self.addCustomers(to: &deltas, in: shard) }
            try self.positions.confirm([shard], since: generation)
            return ChangesPage(origin: self.origin, head: head, deltas: deltas)
        }
    }

    private func deltas(_ events: ArraySlice<StoredEvent>, after position: StreamPosition) async throws -> [StreamDelta]
    {
        var deltas: [StreamDelta] = []
        var previous = position
        // An epoch is of one run.
        var tag: (epoch: Epoch, value: UInt32)?
        for event in events {
            if tag?.epoch != event.epoch {
                guard let value = try await self.store.incarnationTag(of: event.sequence, in: event.shard) else {
                    throw StreamFailure(.rewound)
                }
                tag = (event.epoch, value)
            }
            let next = StreamPosition(sequence: event.sequence, tag: tag?.value ?? 0)
            let image = SubscriptionImage(key: event.key, version: event.version, entitlement: event.entitlement)
            deltas.append(
                StreamDelta(origin: self.origin, epoch: event.epoch, previous: previous, position: next, image: image))
            previous = next
        }
        return deltas
    }

    /// Of each stream as it is by now, which may be newer than the page.
    private func addCustomers(to deltas: inout [StreamDelta], in shard: ShardID) async throws {
        var customers: [[UInt8]: [UInt8]] = [:]
        for row in try await self.store.streams(Array(Set(deltas.map(\.image.key))), in: shard) {
            guard let key = StreamKey(bytes: row.key) else { continue }
            customers[row.key] = try await self.renewer.customer(of: row, key, in: shard)
        }
        for place in deltas.indices { deltas[place].image.customer = customers[deltas[place].image.key] }
    }

    /// In milliseconds.
    private static let pause: UInt32 = 500

    private static func translating<Value>(
        _ body: () async throws -> Value
    ) async throws(StreamFailure) -> Value {
        do {
            return try await body()
        } catch let failure as StreamFailure {
            throw failure
        } catch {
            switch ServiceError(error).code {
            case .storeRewound: throw StreamFailure(.rewound)
            case .notOwner, .stopping: throw StreamFailure(.notOwner)
            default: throw StreamFailure(.unavailable, retryAfter: Self.pause)
            }
        }
    }
}
