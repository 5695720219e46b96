package import EventLog

/// Which peer to probe next, and when: one at a time, and none without end.
package struct ProbeAgenda {
    package enum Step: Equatable {
        case knock(at: ShardRecord.Owner)
        case rest(Duration)
        /// Nobody is lost.
        case end
    }

    private struct Place {
        var due: ContinuousClock.Instant
        var pause: Duration
        let end: ContinuousClock.Instant
    }

    private static let interval = Duration.milliseconds(250)
    /// Where somebody takes connections, or nothing is heard, a refusal is not to be expected soon.
    private static let longestPause = Duration.seconds(2)
    /// Who is still not there, nobody waits for: no lease is longer.
    private static let patience = Duration.seconds(60)

    private var places: [ShardRecord.Owner: Place] = [:]

    package init() {}

    /// The connection to it has just been lost, for the first time or once more.
    package mutating func add(_ run: ShardRecord.Owner, at now: ContinuousClock.Instant) {
        let due = self.places[run].map { min($0.due, now + Self.interval) } ?? now
        // Half of it, since a process that ends may listen for a moment after its connections.
        self.places[run] = Place(due: due, pause: Self.interval / 2, end: now + Self.patience)
    }

    package mutating func remove(_ run: ShardRecord.Owner) { self.places[run] = nil }

    /// Takes out those that have been probed for long enough.
    package mutating func expire(at now: ContinuousClock.Instant) -> [ShardRecord.Owner] {
        let expired = self.places.filter { $0.value.end <= now }.map(\.key)
        for run in expired { self.places[run] = nil }
        return expired
    }

    package func next(at now: ContinuousClock.Instant) -> Step {
        // Who refuses comes first: that he always does shows only without gaps.
        let due = self.places.filter { $0.value.due <= now }
        let first = due.min { ($0.value.pause, $0.value.due) < ($1.value.pause, $1.value.due) }
        if let first { return .knock(at: first.key) }
        guard let next = self.places.values.map(\.due).min() else { return .end }
        // Somebody else may be lost meanwhile.
        return .rest(min(next - now, Self.interval))
    }

    package mutating func note(_ run: ShardRecord.Owner, isRefused: Bool, at now: ContinuousClock.Instant) {
        guard var place = self.places[run] else { return }
        place.pause = isRefused ? Self.interval : min(place.pause * 2, Self.longestPause)
        place.due = now + place.pause
        self.places[run] = place
    }
}
