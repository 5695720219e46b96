package import Subscriptions

/// A stretch of time whose notifications are read from Apple's history: from its start on, without its end.
package struct RecoveryWindow: Hashable, Sendable {
    package var start: Moment
    package var end: Moment

    package init(start: Moment, end: Moment) {
        self.start = start
        self.end = end
    }

    package var isEmpty: Bool { self.end <= self.start }

    /// Adjoining windows of the same length, so that their pages can be fetched side by side; none shorter than
    /// `shortest`, unless the whole is.
    package func split(into count: Int, shortest: Milliseconds) -> [RecoveryWindow] {
        guard !self.isEmpty else { return [] }
        let length = self.end.milliseconds - self.start.milliseconds
        let parts = max(1, min(Int64(count), length / max(1, shortest.rawValue)))
        return (0..<parts).map { part in
            RecoveryWindow(
                start: self.start + Milliseconds(rawValue: length / parts * part),
                end: part == parts - 1 ? self.end : self.start + Milliseconds(rawValue: length / parts * (part + 1)))
        }
    }

    /// No further back than Apple's history reaches: 180 days in Production, 30 elsewhere, less an hour for clocks that
    /// differ and for the time that the request takes.
    package func clamped(to environment: AppStoreEnvironment, now: Moment) -> RecoveryWindow {
        let reach: Milliseconds = environment == .production ? .days(180) : .days(30)
        return RecoveryWindow(start: max(self.start, now - reach + .hours(1)), end: min(self.end, now))
    }
}
