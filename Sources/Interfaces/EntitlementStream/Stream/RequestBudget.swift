/// How many pages may be asked for: so many at a time by all, and so many a second by each.
package struct RequestBudget {
    private let underWayLimit: Int
    private var underWay = 0
    private var pace: RequestPace

    /// - Parameters:
    ///   - rate: pages a second.
    ///   - burst: how many of these may come at once.
    package init(underWay: Int, rate: Int, burst: Int) {
        self.underWayLimit = underWay
        self.pace = RequestPace(rate: rate, burst: burst)
    }

    static let pauseWhenBusy = Duration.milliseconds(20)

    /// - Returns: nil when the page may be read, and `finish()` has to follow; else how long to wait.
    package mutating func begin(_ user: String, at now: ContinuousClock.Instant) -> Duration? {
        guard self.underWay < self.underWayLimit else { return Self.pauseWhenBusy }
        if let pause = self.pace.take(user, at: now) { return pause }
        self.underWay += 1
        return nil
    }

    package mutating func finish() { self.underWay -= 1 }
}
