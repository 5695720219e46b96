/// What became of an event so far that could not be delivered.
package struct Trial: Hashable, Sendable {
    package var attempts: Int
    /// Seconds since 1970, of the first attempt.
    package var first: Int64
    /// Seconds since 1970.
    package var next: Int64

    package init(attempts: Int, first: Int64, next: Int64) {
        self.attempts = attempts
        self.first = first
        self.next = next
    }
}
