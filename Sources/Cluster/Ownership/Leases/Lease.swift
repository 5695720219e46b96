/// A node's own right to answer for what it owns: from the sending of the last beat that the store acknowledged. Moments
/// are those of the node's monotonic clock.
package struct Lease: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case none
        case held(until: Duration)
        /// Somebody has taken this run for dead.
        case lost
    }

    private let terms: LeaseTerms
    private var state = State.none

    package init(terms: LeaseTerms) { self.terms = terms }

    /// The store has acknowledged a beat, or the registration.
    package mutating func renew(sentAt sent: Duration) {
        let end = sent + self.terms.reads
        switch self.state {
        case .none: self.state = .held(until: end)
        case .held(let until): self.state = .held(until: max(until, end))
        // What the store has said once it does not take back.
        case .lost: return
        }
    }

    /// A beat has found no row of this run.
    package mutating func lose() { self.state = .lost }

    package var isLost: Bool { self.state == .lost }

    /// To be asked after an answer has been computed, and before it leaves.
    package func allowsAnswer(at now: Duration) -> Bool { self.remaining(at: now) > .zero }

    /// Zero or less when nothing may be answered.
    package func remaining(at now: Duration) -> Duration {
        switch self.state {
        case .none, .lost: .zero
        case .held(let until): until - now
        }
    }
}
