import EventSourcing
import Sharding

/// Reads the logs of all shards as one stream: in order within each shard, at least once for whoever keeps the cursor.
struct ChangeReader: Sendable {
    let store: any EventStore
    let positions: PositionGuard

    /// The cursor always leads on; a page is empty only when there is nothing new.
    func page(after cursor: String?, limit: Int) async throws -> EventPage {
        var places: [ShardID: Position] = [:]
        for position in try cursor.map(self.positions.positions) ?? [] { places[position.shard] = position }

        let pending = try await self.pending(places)
        // A page starts where the last one left off, more or less, and takes something of every shard: a busy one must
        // not keep the others out.
        let read = places.values.reduce(0) { $0 &+ Int($1.sequence.rawValue) }
        let start = pending.isEmpty ? 0 : read % pending.count
        let share = max(1, limit / max(1, pending.count))
        var events: [EventView] = []
        for (shard, head) in pending[start...] + pending[..<start] where events.count < limit {
            let after = places[shard]?.sequence ?? .zero
            let stored = try await self.store.events(in: shard, after: after, limit: min(share, limit - events.count))
                .upTo(head)
            guard let last = stored.last else { continue }
            events.append(contentsOf: try stored.map(EventView.init))
            places[shard] = try await self.positions.position(of: last.sequence, in: shard)
        }
        return EventPage(events: events, next: self.positions.token(Array(places.values)))
    }

    /// Of the shards that other nodes own.
    private func storedHeads() async throws -> [ShardID: EventSourcing.Sequence] {
        let others = Set(self.positions.shards.lazy.filter { !$0.isOurs }.map(\.shard))
        guard !others.isEmpty else { return [:] }
        let heads = try await self.store.heads().lazy.filter { others.contains($0.shard) }
        return Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, $0.sequence) })
    }

    /// The shards that have more than the cursor has seen, with their heads. One that is frozen or changes hands is left
    /// out as long as others have something.
    /// - Throws: `.storeRewound` when the log does not hold what the cursor names.
    private func pending(
        _ places: [ShardID: Position]
    ) async throws -> [(shard: ShardID, head: EventSourcing.Sequence)] {
        var pending: [(shard: ShardID, head: EventSourcing.Sequence)] = []
        var absence: ServiceError?
        let stored = try await self.storedHeads()
        for parts in self.positions.shards {
            let place = places[parts.shard]
            do throws(ServiceError) {
                let head = if let head = stored[parts.shard] { head } else { try parts.gate.head().sequence }
                if let place { try await self.positions.check(place) }
                if head > place?.sequence ?? .zero { pending.append((parts.shard, head)) }
            } catch {
                guard error.code.saysOwnerIsAbsent else { throw error }
                absence = error
            }
        }
        if pending.isEmpty, let absence { throw absence }
        return pending
    }
}
