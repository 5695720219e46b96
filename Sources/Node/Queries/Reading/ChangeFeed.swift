import Entitlements
import EventLog
package import ServiceContract
package import Shards
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
        case changes([ToldChange])
        /// For the first time there is nothing new.
        case caughtUp
    }

    private let reader: ChangeReader
    private let describer: ChangeDescriber
    private let renewer: ImageRenewer
    private let watch: ClockWatch
    private let share: CatchUpShare
    private let tail: ChangeTail
    /// The tail's step that was told last; nil while this one reads for itself.
    private var step: Int?
    private var places: ChangeReader.Places
    /// Of what stands, the next to be read; nil when all of it has been.
    private var standing: (shard: Int, after: [UInt8]?)?
    private var isCaughtUp = false

    /// - Throws: `.invalidCursor`, `.storeRewound`.
    package init(_ source: ChangeSource, renewer: ImageRenewer, watch: ClockWatch, after cursor: String?) async throws {
        let reader = source.reader
        self.reader = reader
        self.share = source.share
        self.tail = source.tail
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
            if let changes = try await self.nextOfTail() { return changes.isEmpty ? nil : .changes(changes) }
            if let round = try await self.nextOfLog(limit) { return round }
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

    /// Nothing when there is nothing new; nil while it does not follow the tail.
    private mutating func nextOfTail() async throws -> [ToldChange]? {
        while let number = self.step {
            do {
                guard let step = try await self.tail.step(after: number) else { return [] }
                let changes = step.changes.filter { !self.places.hasRead($0.change.event) }
                self.places.advance(to: step.places)
                self.step = step.number
                if !changes.isEmpty { return changes }
            } catch is TailLost {
                self.step = nil
            }
        }
        return nil
    }

    private mutating func nextOfLog(_ limit: Int) async throws -> Round? {
        // From before the look at the log: who has all that is there has at least this.
        let standing = await self.tail.standing()
        let feed = self
        let (round, after) = try await self.share.round {
            var feed = feed
            if let rows = try await feed.nextRows(limit) { return (Round.snapshot(rows) as Round?, feed) }
            let events = try await feed.reader.read(from: &feed.places, limit: limit)
            let changes = try await feed.describer.describe(events)
            return (changes.isEmpty ? nil : .changes(changes.map(ToldChange.init)), feed)
        }
        self = after
        guard round == nil else { return round }
        if let standing {
            if self.places.reach(standing.places) { self.step = standing.number }
        } else {
            self.step = await self.tail.begin(at: self.places)
        }
        return nil
    }

    private mutating func nextRows(_ limit: Int) async throws -> [StandingView]? {
        let shards = self.reader.store.identity.shards
        while let place = self.standing {
            let shard = shards[place.shard]
            let rows = try await self.reader.store.streams(in: shard, after: place.after, limit: limit)
            var views: [StandingView] = []
            for image in try await self.renewer.images(of: rows, in: shard, withCustomers: false) {
                guard let key = StreamKey(bytes: image.key) else { continue }
                let answer = try EntitlementRow(decoding: image.entitlement).answer(at: self.watch.present)
                views.append(StandingView(key: key, version: image.version, current: answer))
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
