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

    /// Takes one that may not be left yet, so that those who ask have their turns at an even rate.
    /// - Parameter limit: how far ahead a turn may lie. Beyond it none is taken, so turns of callers that have gone do not add up.
    /// - Returns: how long until its turn; zero when there was one left, and at most `limit`.
    package mutating func reserve(at now: ContinuousClock.Instant, within limit: Duration) -> Duration {
        let oldest = now - self.interval * self.burst
        let next = max(self.spent ?? oldest, oldest) + self.interval
        guard next - now <= limit else { return limit }
        self.spent = next
        return max(.zero, next - now)
    }
}
