import Sharding
import Synchronization

/// The node's right to answer for what it owns, for any thread to ask.
final class NodeLease: Sendable {
    private let start = ContinuousClock.now
    private let lease: Mutex<Lease>

    init(terms: LeaseTerms) { self.lease = Mutex(Lease(terms: terms)) }

    /// Since this was made.
    var now: Duration { ContinuousClock.now - self.start }

    func instant(_ moment: Duration) -> ContinuousClock.Instant { self.start + moment }

    func renew(sentAt sent: Duration) { self.lease.withLock { $0.renew(sentAt: sent) } }

    func lose() { self.lease.withLock { $0.lose() } }

    /// To be asked when an answer is ready.
    var allowsAnswer: Bool { self.remaining > .zero }

    var remaining: Duration { self.lease.withLock { $0.remaining(at: self.now) } }
}
