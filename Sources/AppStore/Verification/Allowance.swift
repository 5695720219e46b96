/// So many at once, and from then on at an even rate. Told the time, so that it needs no clock.
package struct Allowance: Sendable {
    private let burst: Int
    private let interval: Duration
    /// Up to when all of it is spent.
    private var spent: ContinuousClock.Instant?

    /// - Parameters:
    ///   - burst: how many at once, when none was taken for long.
    ///   - interval: after which there is one more.
    package init(burst: Int, every interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// - Returns: whether there was one left.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        let oldest = now - self.interval * self.burst
        let next = max(self.spent ?? oldest, oldest) + self.interval
        guard next <= now else { return false }
        self.spent = next
        return true
    }
}
