/// How many pages may be asked for: so many at a time by all, and so many a second by each.
package struct RequestBudget {
    private let underWayLimit: Int
    private let interval: Duration
    private let burst: Duration
    private var underWay = 0
    /// By subscriber: when all that he has asked for would have been asked at an even pace.
    private var paid: [String: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - rate: pages a second.
    ///   - burst: how many of these may come at once.
    package init(underWay: Int, rate: Int, burst: Int) {
        self.underWayLimit = underWay
        self.interval = .seconds(1) / rate
        self.burst = self.interval * burst
    }

    private static let pauseWhenBusy = Duration.milliseconds(20)

    /// - Returns: nil when the page may be read, and `finish()` has to follow; else how long to wait.
    package mutating func begin(_ user: String, at now: ContinuousClock.Instant) -> Duration? {
        guard self.underWay < self.underWayLimit else { return Self.pauseWhenBusy }
        let paid = max(now, self.paid[user] ?? now) + self.interval
        guard paid - now <= self.burst else { return paid - now - self.burst }
        self.paid[user] = paid
        self.underWay += 1
        return nil
    }

    package mutating func finish() { self.underWay -= 1 }
}
