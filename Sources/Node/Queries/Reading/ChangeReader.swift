package import EventLog
import Ownership
package import ServiceContract
package import Shards

/// Reads the logs of all shards as one stream: in order within each shard, at least once for whoever keeps the cursor.
package struct ChangeReader: Sendable {
    let store: any EventStore
    let positions: PositionGuard
    /// For those who follow; nil asks the store each time.
    var sharedHeads: SharedHeads?

    package init(store: any EventStore, positions: PositionGuard, sharedHeads: SharedHeads? = nil) {
        self.store = store
        self.positions = positions
        self.sharedHeads = sharedHeads
    }

    /// How far somebody has come: in each shard that he has read of, the last event, and the epoch that it is known to
    /// be of.
    struct Places: Sendable {
        fileprivate(set) var positions: [ShardID: Position] = [:]
        fileprivate var epochs: [ShardID: Epoch] = [:]

        func hasRead(_ event: EventView) -> Bool {
            self.positions[event.shard].map { $0.sequence >= event.sequence } ?? false
        }

        /// Whether all has been read that others have.
        func reach(_ others: Places) -> Bool {
            others.positions.allSatisfy { shard, place in
                self.positions[shard].map { $0.sequence >= place.sequence } ?? false
            }
        }

        /// Moves on to where others are, in shards where they have read more.
        mutating func advance(to others: Places) {
            for (shard, place) in others.positions
            where self.positions[shard].map({ $0.sequence < place.sequence }) ?? true {
                self.positions[shard] = place
                self.epochs[shard] = others.epochs[shard]
            }
        }
    }

    /// The cursor always leads on; a page is empty only when there is nothing new.
    package func page(after cursor: String?, limit: Int) async throws -> EventPage {
        var places = try await self.places(after: cursor)
        let events = try await self.read(from: &places, limit: limit)
        return EventPage(events: try events.map(EventView.init), next: self.cursor(places))
    }

    /// Where a cursor leads on; without one, the beginning.
    /// - Throws: `.storeRewound` when the log does not hold what the cursor names.
    func places(after cursor: String?) async throws -> Places {
        var places = Places()
        for position in try cursor.map(self.positions.positions) ?? [] {
            do throws(ServiceError) {
                try await self.positions.check(position)
            } catch {
                // It is looked at again before anything of its shard is read.
                guard error.code.saysOwnerIsAbsent else { throw error }
            }
            places.positions[position.shard] = position
        }
        return places
    }

    /// The ends of all logs, whoever owns them.
    func ends() async throws -> Places {
        var places = Places()
        for head in try await self.store.heads() where head.sequence > .zero { places.positions[head.shard] = head }
        return places
    }

    func cursor(_ places: Places) -> String { self.positions.token(Array(places.positions.values)) }

    /// What comes next, and moves on behind it.
    /// - Throws: `.storeRewound` when the log does not hold the place any more.
    func read(from places: inout Places, limit: Int) async throws -> [StoredEvent] {
        let pending = try await self.pending(places.positions)
        // A page starts where the last one left off, more or less, and takes something of every shard: a busy one must
        // not keep the others out.
        let read = places.positions.values.reduce(0) { $0 &+ Int($1.sequence.rawValue) }
        let start = pending.isEmpty ? 0 : read % pending.count
        let share = max(1, limit / max(1, pending.count))
        var events: [StoredEvent] = []
        for (shard, head) in pending[start...] + pending[..<start] where events.count < limit {
            let place = places.positions[shard]
            let stored = try await self.store.events(
                in: shard, after: place?.sequence ?? .zero, limit: min(share, limit - events.count)
            ).upTo(head)
            guard let first = stored.first, let last = stored.last else { continue }
            let next = try await self.positions.position(of: last.sequence, in: shard)
            // Under one epoch of one run a log does not go back; a store that lost the epoch as well gives it to another run.
            if let place, first.epoch != places.epochs[shard] || next.incarnationTag != place.incarnationTag {
                try await self.positions.check(place)
            }
            events.append(contentsOf: stored)
            places.positions[shard] = next
            places.epochs[shard] = last.epoch
        }
        return events
    }

    /// Of the shards that other nodes own.
    private func storedHeads() async throws -> [ShardID: ShardStatus.Head] {
        let others = Set(self.positions.shards.lazy.filter { !$0.isOurs }.map(\.shard))
        guard !others.isEmpty else { return [:] }
        let heads = if let sharedHeads { try await sharedHeads.heads() } else { try await self.store.heads() }
        let theirs = heads.lazy.filter { others.contains($0.shard) }
        return Dictionary(
            uniqueKeysWithValues: theirs.map {
                ($0.shard, ShardStatus.Head(sequence: $0.sequence, tag: $0.incarnationTag))
            })
    }

    /// The shards that have more than the cursor has seen, with their heads. One that is frozen or changes hands is left
    /// out as long as others have something.
    /// - Throws: `.storeRewound` when a log does not hold the place any more.
    private func pending(
        _ places: [ShardID: Position]
    ) async throws -> [(shard: ShardID, head: LogSequence)] {
        var pending: [(shard: ShardID, head: LogSequence)] = []
        var absence: ServiceError?
        let stored = try await self.storedHeads()
        for parts in self.positions.shards {
            let place = places[parts.shard]
            do throws(ServiceError) {
                let head = if let head = stored[parts.shard] { head } else { try parts.status.durableHead() }
                if head.sequence > place?.sequence ?? .zero {
                    pending.append((parts.shard, head.sequence))
                } else if let place, place.sequence != head.sequence || place.incarnationTag != head.tag {
                    // The head may be a moment old, and behind the place: the store knows whether the log went back.
                    try await self.positions.check(place)
                }
            } catch {
                guard error.code.saysOwnerIsAbsent else { throw error }
                absence = error
            }
        }
        if pending.isEmpty, let absence { throw absence }
        return pending
    }
}
