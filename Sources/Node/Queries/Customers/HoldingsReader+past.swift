import Customers
import EventLog
import Ownership
package import ServiceContract
import Shards
package import Subscriptions

/// A moment of the past, and by what was known when.
package struct PastMoment: Hashable, Sendable {
    /// That is asked about.
    package var at: Moment
    /// What was recorded later does not count; nil where all counts that is known now.
    package var knownAt: Moment?

    /// nil for the present.
    package init?(at moment: Moment?, knownAt: Moment?) {
        guard let asked = moment ?? knownAt else { return nil }
        self.at = asked
        self.knownAt = knownAt
    }

    /// - Throws: `.futureMoment`.
    package func check(notAfter now: Moment) throws(ServiceError) {
        guard max(self.at, self.knownAt ?? .distantPast) <= now else {
            throw ServiceError(.futureMoment, "at and knownAt must not lie in the future")
        }
    }

    /// What people say counts from when it is recorded.
    var saidBy: Moment { min(self.at, self.knownAt ?? self.at) }
}

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
