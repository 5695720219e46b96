import Logging
import ServiceContract
package import Subscriptions
import Synchronization

/// Whether timers may go by the clock: a wrong one must not expire paying customers. While it is more than five seconds from the
/// store's, they hold. The store tells its time with each sign of life; in between, and where it has no clock of its own, what
/// counts is by how much this one has left an even run since then. A clock that was wrong from the start can then not be told from
/// a right one, unless it is so far behind that what Apple signs is refused (`clockSkew`): that counts as well.
///
/// Somebody has to look once a second: a clock that jumps says nothing.
package final class ClockWatch: Sendable {
    /// What the clock showed when the store was asked for the time.
    struct Reading {
        fileprivate var now: Moment
        fileprivate var offset: Milliseconds
    }

    private struct State {
        /// `WallClock.offset`, as it would be if the clock were right.
        var rightOffset = Milliseconds(rawValue: 0)
        var isHolding = false
        /// When the newest payload was signed that was refused for being of a time to come, and none was accepted since.
        var refused: Moment?
    }

    private static let tolerance = Milliseconds.seconds(5)
    /// As far as Apple's clock may be ahead. Answers that go by a clock that is further off are not to be relied on.
    private static let answerTolerance = Milliseconds.minutes(5)

    private let clock: any WallClock
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let state = Mutex(State())

    init(clock: any WallClock, metrics: RuntimeMetrics, logger: Logger) {
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// How far the clock is ahead.
    package var offset: Milliseconds {
        Milliseconds(rawValue: self.clock.offset.rawValue - self.state.withLock(\.rightOffset).rawValue)
    }

    /// What lasts is made by this: the clock, or, while that is ahead, what it would show if it were right. What comes in
    /// meanwhile has to end by time as well, later. Never later than the clock, since the store's may be the wrong one.
    package var present: Moment {
        let offset = self.offset
        let now = self.clock.now
        return Self.isTolerable(offset) ? now : min(now, now - offset)
    }

    /// The other of the two: what was signed later than this and a tolerance was signed in a time to come, whichever clock is
    /// right. The store's may be the wrong one here as well, and would have all be refused.
    package var latest: Moment {
        let offset = self.offset
        let now = self.clock.now
        return Self.isTolerable(offset) ? now : max(now, now - offset)
    }

    // MARK: What Apple signs

    /// A genuine payload was signed so far ahead of `latest` that it is refused: the clock is behind, and nobody has said so.
    package func noteRefusal(signedAt signed: Moment) {
        let isFirst = self.state.withLock { state in
            defer { state.refused = max(signed, state.refused ?? signed) }
            return state.refused == nil
        }
        guard isFirst else { return }
        self.logger.critical(
            "The clock is behind Apple's: what Apple signs is refused",
            metadata: .runtime([.offset: "\((self.clock.now.milliseconds - signed.milliseconds))"]))
    }

    /// A payload was signed at a time that can be.
    package func noteAcceptance() {
        let wasRefusing = self.state.withLock { state in
            defer { state.refused = nil }
            return state.refused != nil
        }
        if wasRefusing { self.logger.notice("What Apple signs is accepted again") }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    func obstacles(to purpose: Readiness.Purpose) -> [String] {
        switch purpose {
        case .reads:
            let offset = self.offset
            guard abs(offset.rawValue) > Self.answerTolerance.rawValue else { return [] }
            let side = offset.rawValue > 0 ? "ahead" : "behind"
            return ["the clock is \(abs(offset.rawValue) / 1_000) s \(side), and answers go by it: set it right"]
        case .ingest:
            let latest = self.latest
            let refused = self.state.withLock(\.refused)
            guard let refused, refused > latest + Self.answerTolerance else { return [] }
            return ["the clock is behind Apple's, and notifications are refused: set it right"]
        }
    }

    private static func isTolerable(_ offset: Milliseconds) -> Bool { abs(offset.rawValue) <= Self.tolerance.rawValue }

    /// Raises the alarm when it begins to say no.
    var isTrusted: Bool {
        let offset = self.offset
        self.metrics.setClockOffset(offset)
        let mustHold = !Self.isTolerable(offset)
        let hasChanged = self.state.withLock { state in
            defer { state.isHolding = mustHold }
            return state.isHolding != mustHold
        }
        if hasChanged {
            self.logger.log(
                level: mustHold ? .critical : .notice,
                mustHold ? "The clock is wrong: timers hold" : "The clock is right again: timers go on",
                metadata: .runtime([.offset: "\(offset.rawValue)"]))
        }
        return !mustHold
    }

    var reading: Reading {
        // In this order a jump in between shows as one: before, by the offset of the next reading; after, by what is asked next.
        let offset = self.clock.offset
        return Reading(now: self.clock.now, offset: offset)
    }

    /// Goes by what the store said, some time after `asked` and before now: what was believed stands where that bears it out, so
    /// that an answer that took long neither blames a right clock nor absolves a wrong one.
    func heed(_ store: Moment, askedAt asked: Reading) {
        guard self.clock.isReal else { return }
        let answered = self.reading
        // One that jumps meanwhile says nothing about when the store was asked. The jump itself is noticed.
        guard abs(answered.offset.rawValue - asked.offset.rawValue) < Self.tolerance.rawValue else {
            return _ = self.isTrusted
        }
        let least = asked.now.milliseconds - store.milliseconds
        let most = max(asked.now, answered.now).milliseconds - store.milliseconds
        self.state.withLock { state in
            let believed = answered.offset.rawValue - state.rightOffset.rawValue
            let ahead = min(max(believed, least), most)
            state.rightOffset = Milliseconds(rawValue: answered.offset.rawValue - ahead)
        }
        _ = self.isTrusted
    }
}
