/// Whether somebody listens. While nobody does, one attempt at a time probes, at growing distances in real time: the
/// simulated clock runs so fast that the retries of days would otherwise be spent before a node has restarted.
package struct Reachability: Sendable {
    package private(set) var isReachable = true
    private var pause = Self.shortest
    private var probeAt: ContinuousClock.Instant = .now

    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    package init() {}

    /// How many attempts may be under way.
    package func allowance(of maximum: Int, at instant: ContinuousClock.Instant) -> Int {
        if self.isReachable { return maximum }
        return instant >= self.probeAt ? 1 : 0
    }

    package mutating func note(_ result: SendAttempt.Result, at instant: ContinuousClock.Instant) {
        guard result == .noResponse || result == .socketIssue else {
            self = Reachability()
            return
        }
        // Attempts that were under way together fail together: they are one observation.
        guard self.isReachable || instant >= self.probeAt else { return }
        self.isReachable = false
        self.probeAt = instant + self.pause
        self.pause = min(self.pause * 2, Self.longest)
    }
}
