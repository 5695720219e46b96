/// How an endpoint that is not there is left in peace: it is asked one thing at a time, ever more rarely. Whoever refuses a
/// message is there for others. Pure.
package struct AbsenceBackoff {
    /// With 50 ms to the endpoint and back, more than a thousand messages a second.
    private static let width = 64
    /// So many times in a row, and it begins.
    private static let patience = 3
    private static let longest = 60
    /// So many times in a row are worth a word: it has rested for some seconds by then.
    private static let worthTelling = 6

    private var until: ContinuousClock.Instant
    private var absences = 0

    package init(at now: ContinuousClock.Instant) { self.until = now }

    /// Whether what waits for the endpoint's return has waited.
    package var hasBegun: Bool { self.absences >= Self.patience }
    package var isWorthTelling: Bool { self.absences >= Self.worthTelling }

    /// How many messages may be on their way.
    package func width(at now: ContinuousClock.Instant) -> Int { now < self.until ? 0 : self.hasBegun ? 1 : Self.width }

    /// - Returns: whether it has just become worth a word.
    package mutating func recordAbsence(at now: ContinuousClock.Instant) -> Bool {
        // What had left before the rest began says nothing new.
        guard now >= self.until else { return false }
        self.absences += 1
        if self.hasBegun { self.rest(.seconds(min(1 << min(self.absences - Self.patience, 6), Self.longest)), at: now) }
        return self.absences == Self.worthTelling
    }

    package mutating func recordPresence() { self.absences = 0 }

    package mutating func rest(_ duration: Duration, at now: ContinuousClock.Instant) {
        self.until = max(self.until, now + duration)
    }
}
