import Entitlements
import EventSourcing
import Subscriptions
import WireProtocol

/// The change stream for one listener, round by round. Without a cursor it begins with everything that stands.
package struct ChangeFeed: Sendable {
    /// What comes next.
    package enum Round: Sendable {
        /// A part of what stood when the feed began. A row may be newer than that: its changes come again, with versions
        /// that say so.
        case snapshot([StandingView])
        /// In order within each stream; never empty.
        case changes([ChangeView])
        /// For the first time there is nothing new.
        case caughtUp
    }

    private let reader: ChangeReader
    private let describer: ChangeDescriber
    private let renewer: ImageRenewer
    private let watch: ClockWatch
    private var places: ChangeReader.Places
    /// Of what stands, the next to be read; nil when all of it has been.
    private var standing: (shard: Int, after: [UInt8]?)?
    private var isCaughtUp = false

    /// - Throws: `.invalidCursor`, `.storeRewound`.
    init(_ reader: ChangeReader, renewer: ImageRenewer, watch: ClockWatch, after cursor: String?) async throws {
        self.reader = reader
        self.describer = ChangeDescriber(store: reader.store)
        self.renewer = renewer
        self.watch = watch
        if let cursor {
            self.places = try await reader.places(after: cursor)
        } else {
            self.places = try await reader.ends()
            self.standing = (0, nil)
        }
    }

    /// Where a later feed goes on after all that this one has given; nil while it has not told all that stood.
    package var cursor: String? { self.standing == nil ? self.reader.cursor(self.places) : nil }

    /// - Parameter limit: how many rows or changes at most.
    /// - Returns: nil when there is nothing new.
    /// - Throws: retryable codes, after which it goes on where it was; `.storeRewound`, after which it cannot.
    package mutating func next(limit: Int) async throws(ServiceError) -> Round? {
        do {
            if let rows = try await self.nextRows(limit) { return .snapshot(rows) }
            var places = self.places
            let events = try await self.reader.read(from: &places, limit: limit)
            if !events.isEmpty {
                let changes = try await self.describer.describe(events)
                self.places = places
                return .changes(changes)
            }
        } catch {
            let failure = ServiceError(error)
            // A shard that changes hands has nothing to tell for a moment.
            guard failure.code.saysOwnerIsAbsent else { throw failure }
            return nil
        }
        if self.isCaughtUp { return nil }
        self.isCaughtUp = true
        return .caughtUp
    }

    private mutating func nextRows(_ limit: Int) async throws -> [StandingView]? {
        let shards = self.reader.store.identity.shards
        while let place = self.standing {
            let shard = shards[place.shard]
            let rows = try await self.reader.store.streams(in: shard, after: place.after, limit: limit)
            var views: [StandingView] = []
            for row in rows {
                guard let image = try await self.renewer.image(of: row, in: shard),
                    let key = StreamKey(bytes: row.key)
                else { continue }
                let answer = try EntitlementRow(decoding: image.entitlement).answer(at: self.watch.present)
                views.append(StandingView(key: key, version: row.version, current: answer))
            }
            if rows.count == limit {
                self.standing = (place.shard, rows.last?.key)
            } else {
                self.standing = place.shard + 1 < shards.count ? (place.shard + 1, nil) : nil
            }
            if !views.isEmpty { return views }
        }
        return nil
    }
}
