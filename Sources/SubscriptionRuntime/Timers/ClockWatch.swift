import Logging
import Subscriptions
import Synchronization

/// Whether timers may go by the clock: one step of it must not expire paying customers. When it has jumped they hold
/// until it is back, or until somebody has looked at it and started the process anew. A clock that is wrong from the
/// start cannot be told from a right one here; `clockSkew` answers to notifications show it.
final class ClockWatch: Sendable {
    private static let tolerance = Milliseconds.seconds(5)

    private let clock: any WallClock
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let isHolding = Mutex(false)

    init(clock: any WallClock, metrics: RuntimeMetrics, logger: Logger) {
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Raises the alarm when it begins to say no.
    var isTrusted: Bool {
        let offset = self.clock.offset
        self.metrics.setClockOffset(offset)
        let mustHold = abs(offset.rawValue) > Self.tolerance.rawValue
        let hasChanged = self.isHolding.withLock { isHolding in
            defer { isHolding = mustHold }
            return isHolding != mustHold
        }
        if hasChanged {
            self.logger.log(
                level: mustHold ? .critical : .notice,
                mustHold ? "The clock has jumped: timers hold" : "The clock is back: timers go on",
                metadata: .runtime([.offset: "\(offset.rawValue)"]))
        }
        return !mustHold
    }
}
