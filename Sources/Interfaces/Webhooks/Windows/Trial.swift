/// What became of an event so far that could not be delivered.
package struct Trial: Hashable, Sendable {
    /// How often it was answered, and not taken.
    package var refusals: Int
    /// How often nobody was there. It says nothing about the event, and is not stored.
    package var absences: Int
    /// Seconds since 1970, of the first attempt.
    package var first: Int64
    /// Seconds since 1970.
    package var next: Int64

    package var attempts: Int { self.refusals + self.absences }

    package init(refusals: Int, absences: Int = 0, first: Int64, next: Int64) {
        self.refusals = refusals
        self.absences = absences
        self.first = first
        self.next = next
    }
}
