import Subscriptions

/// `clock.json`: by what clock a running simulation lives, for nodes on the same machine that live by it too. Milliseconds
/// since 1970.
struct ClockDescription: Codable, Hashable, Sendable {
    /// What the simulation's clock showed when the machine's showed `real`.
    var simulated: Int64
    var real: Int64
    /// Simulated seconds in a real one, until the simulation has caught up with the present.
    var speed: Double

    /// The clock, going on from now.
    func time(at now: Moment = SimulatedTime.realNow()) -> SimulatedTime {
        let passed = Double(max(0, now.milliseconds - self.real)) * self.speed
        let shown = min(self.simulated + Int64(min(passed, 1e15)), max(self.simulated, now.milliseconds))
        return SimulatedTime(start: Moment(milliseconds: shown), speed: self.speed)
    }
}
