import Synchronization

/// What the demo's own questions have shown so far.
final class DemoFigures: Sendable {
    struct Values {
        /// Subscriptions by state, of the last full round.
        var states: [String: Int] = [:]
        /// Checks answered since the start.
        var checks = 0
        /// Mean time from signing to being visible, in real time, of what arrived last; nil before anything did.
        var freshness: Duration?
        /// From the start of the demo to the first "entitled".
        var firstEntitlement: Duration?
    }

    private let values = Mutex(Values())
    private let start = ContinuousClock.now

    var current: Values { self.values.withLock { $0 } }

    func count(checks: Int, entitled: Bool) {
        self.values.withLock { values in
            values.checks += checks
            if entitled, values.firstEntitlement == nil { values.firstEntitlement = .now - self.start }
        }
    }

    func set(states: [String: Int]) { self.values.withLock { $0.states = states } }

    func set(freshness: Duration) { self.values.withLock { $0.freshness = freshness } }
}
