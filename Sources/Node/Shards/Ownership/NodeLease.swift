import Ownership
import Synchronization
import Waiting

/// The node's right to answer for what it owns, for any thread to ask. It rests on beats, without which others take over, and
/// on readings: a database that has failed over may take the beats of a run and have forgotten what the run owns.
final class NodeLease: Sendable {
    private struct State {
        var beats: Lease
        var readings: Lease
    }

    private let clock: NodeClock
    private let state: Mutex<State>

    init(terms: LeaseTerms, clock: NodeClock) {
        self.clock = clock
        self.state = Mutex(State(beats: Lease(terms: terms), readings: Lease(terms: terms)))
    }

    var now: Duration { self.clock.now }

    /// The store has acknowledged a beat, or the registration.
    func renew(sentAt sent: Duration) { self.state.withLock { $0.beats.renew(sentAt: sent) } }

    /// What this run knows of its shards has been held against what the store said when it was asked.
    func noteReading(askedAt asked: Duration) { self.state.withLock { $0.readings.renew(sentAt: asked) } }

    func lose() { self.state.withLock { $0.beats.lose() } }

    /// To be asked when an answer is ready.
    var allowsAnswer: Bool { self.remaining > .zero }

    var remaining: Duration {
        self.state.withLock { state in
            let now = self.now
            return min(state.beats.remaining(at: now), state.readings.remaining(at: now))
        }
    }
}
