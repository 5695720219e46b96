import Synchronization

/// What the demo's own questions have shown so far.
final class DemoFigures: Sendable {
    struct Values {
        /// Subscriptions by state, of the last full round.
        var states: [String: Int] = [:]
        /// Of the last full round.
        var agreement = DemoSummary.Agreement()
        /// By customer; of the last full round.
        var customers = CustomerAgreement()
        /// Checks answered since the start.
        var checks = 0
        /// Mean time from signing to being visible, in real time, of what arrived last; nil before anything did.
        var freshness: Duration?
        /// Changes that the subscriber was told, since the start.
        var followed = 0
        /// Messages that the webhook's receiver took, since the start.
        var posted = 0
    }

    private let values = Mutex(Values())

    var current: Values { self.values.withLock { $0 } }

    func count(checks: Int) { self.values.withLock { $0.checks += checks } }

    func countFollowed() { self.values.withLock { $0.followed += 1 } }

    func countPosted() { self.values.withLock { $0.posted += 1 } }

    func set(states: [String: Int], agreement: DemoSummary.Agreement) {
        self.values.withLock { ($0.states, $0.agreement) = (states, agreement) }
    }

    func set(customers: CustomerAgreement) { self.values.withLock { $0.customers = customers } }

    func set(freshness: Duration) { self.values.withLock { $0.freshness = freshness } }
}
