/// How often each subscriber may ask.
package struct RequestPace {
    private let interval: Duration
    private let burst: Duration
    /// By subscriber: when all that he has asked for would have been asked at an even pace.
    private var paid: [String: ContinuousClock.Instant] = [:]

    /// - Parameters:
    ///   - rate: requests a second.
    ///   - burst: how many of these may come at once.
    package init(rate: Int, burst: Int) {
        self.interval = .seconds(1) / rate
        self.burst = self.interval * burst
    }

    /// - Returns: nil when he may; else how long to wait.
    package mutating func take(_ user: String, at now: ContinuousClock.Instant) -> Duration? {
        let paid = max(now, self.paid[user] ?? now) + self.interval
        guard paid - now <= self.burst else { return paid - now - self.burst }
        self.paid[user] = paid
        return nil
    }
}
