package import EventLog
import Ownership
package import ServiceContract
package import Shards
package import Subscriptions

/// Lists what is recorded beside subscriptions: shard by shard, stream by stream, oldest first within each.
package struct RecordReader: Sendable {
    private static let kinds: [StreamKind] = [.massExtension, .externalPurchase, .appTransaction, .test]

    let store: any EventStore
    let positions: PositionGuard

    package init(store: any EventStore, positions: PositionGuard) {
        self.store = store
        self.positions = positions
    }

    package func page(kind: StreamKind?, after cursor: String?, limit: Int) async throws -> EventPage {
        let kinds = kind.map { [$0] } ?? Self.kinds
        guard kinds.allSatisfy(Self.kinds.contains) else {
            throw ServiceError(.invalidRequest, "subscriptions and purchases are not records")
        }
        var place = try await self.place(after: cursor)
        var events: [EventView] = []
        for shard in self.positions.shards.map(\.shard) where shard >= place.shard {
            let head = try self.positions.headSequence(of: shard)
            for kind in kinds {
                while let stream = try await self.stream(of: kind, in: shard, from: place) {
                    let stored = try await self.store.events(
                        of: stream, in: shard, after: place.version(in: stream), limit: limit - events.count
                    ).upTo(head)
                    events.append(contentsOf: try stored.map(EventView.init))
                    if events.count == limit, let last = stored.last {
                        return EventPage(events: events, next: try await self.positions.cursor(after: last))
                    }
                    place = Place(shard: shard, after: stream)
                }
            }
        }
        return EventPage(events: events, next: nil)
    }

    /// Where the list goes on: in the middle of a stream, or after one.
    private struct Place {
        var shard = ShardID(rawValue: 0)
        var unfinished: (stream: [UInt8], version: StreamVersion)?
        var after: [UInt8] = []

        func version(in stream: [UInt8]) -> StreamVersion {
            self.unfinished?.stream == stream ? self.unfinished?.version ?? .zero : .zero
        }
    }

    private func place(after cursor: String?) async throws -> Place {
        guard let cursor else { return Place() }
        let page = try await self.positions.page(cursor)
        return Place(shard: page.position.shard, unfinished: (page.key, page.version))
    }

    /// The unfinished stream, or the next one of this kind.
    private func stream(of kind: StreamKind, in shard: ShardID, from place: Place) async throws -> [UInt8]? {
        guard shard == place.shard else { return try await self.stream(of: kind, in: shard, after: []) }
        if let unfinished = place.unfinished {
            if unfinished.stream.first == kind.rawValue { return unfinished.stream }
            return try await self.stream(of: kind, in: shard, after: unfinished.stream)
        }
        return try await self.stream(of: kind, in: shard, after: place.after)
    }

    private func stream(of kind: StreamKind, in shard: ShardID, after key: [UInt8]) async throws -> [UInt8]? {
        // A key's first byte is its kind; that byte alone stands before all of them.
        guard key.first.map({ $0 <= kind.rawValue }) ?? true else { return nil }
        let start = key.first == kind.rawValue ? key : [kind.rawValue]
        let next = try await self.store.streams(in: shard, after: start, limit: 1).first?.key
        return next?.first == kind.rawValue ? next : nil
    }
}
