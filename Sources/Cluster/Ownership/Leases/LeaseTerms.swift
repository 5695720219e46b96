/// What the length of a lease means for its holder and for those who watch it (Gray and Cheriton, 1989). Each counts on
/// its own monotonic clock alone; clocks may run apart by a twentieth.
package struct LeaseTerms: Hashable, Sendable {
    /// For so long others leave a silent node what it owns.
    package var length: Duration
    /// For so long after sending a beat its sender may answer for what it owns.
    package var reads: Duration
    /// Of beats.
    package var beatInterval: Duration
    /// Of readings of the others' beats.
    package var readingInterval: Duration
    /// Readings further apart than this say nothing about what was between them.
    package var longestReadingGap: Duration
    /// After so long a run that lives has been seen to beat again: who has not, and refuses connections all the while, is taken
    /// for dead before its lease is over.
    package var doubt: Duration

    /// So long a run has to have lived before others give it what they serve well.
    package var settling: Duration

    /// - Parameter length: from `shortest` to `longest`.
    package init(length: Duration) {
        self.length = length
        self.reads = length * 0.95 - .milliseconds(750)
        self.beatInterval = .seconds(1)
        self.readingInterval = .milliseconds(250)
        self.longestReadingGap = .seconds(1)
        self.doubt = self.beatInterval + self.readingInterval
        self.settling = .seconds(10)
    }

    /// A beat a second, and one that may be lost.
    package static let shortest = Duration.seconds(3)
    /// Nobody waits for longer.
    package static let longest = Duration.seconds(60)
}
