/// Beats at an interval, with what was counted a second in between.
struct Pulse {
    private var last: (checks: Int, at: ContinuousClock.Instant)

    init(checks: Int) { self.last = (checks, .now) }

    /// Checks a second; nil when the time has not come.
    mutating func beat(every interval: Duration, checks: Int) -> Int? {
        let now = ContinuousClock.now
        guard now - self.last.at >= interval else { return nil }
        defer { self.last = (checks, now) }
        return Int(Double(checks - self.last.checks) / ((now - self.last.at) / .seconds(1)))
    }
}
