import Foundation
package import Subscriptions

/// The simulation's clock: it starts in the past and runs faster than real time. It never goes back, and may be read
/// from anywhere.
package struct SimulatedTime: Sendable {
    /// What happens once the simulated past has become the present.
    package enum Horizon: Hashable, Sendable {
        /// The clock has caught up: from now on it is the real one.
        case present
        /// It goes on as fast as before. A node that is fed has to be given the same clock.
        case none
        /// It goes on so many times as fast as the real one: what takes minutes is over in seconds.
        case presentThen(speed: Double)
    }

    /// How long ago a simulation starts unless told otherwise. Within Apple's notification history, which goes back 180 days.
    package static let past = Milliseconds.days(170)

    package let start: Moment
    package let speed: Double
    private let horizon: Horizon
    private let startedAt: ContinuousClock.Instant
    private let realStart: Moment

    /// - Parameters:
    ///   - start: the simulated moment at which the clock stands now.
    ///   - speed: simulated seconds in a real one.
    package init(start: Moment, speed: Double, until horizon: Horizon = .present) {
        self.start = start
        self.speed = speed
        self.horizon = horizon
        self.startedAt = .now
        self.realStart = Self.realNow()
    }

    package var now: Moment {
        let real = self.startedAt.duration(to: .now) / .milliseconds(1)
        let simulated = self.start + Milliseconds(rawValue: Int64(min(real * self.speed, 1e15)))
        switch self.horizon {
        case .none: return simulated
        case .present: return max(self.start, min(simulated, self.realStart + Milliseconds(rawValue: Int64(real))))
        case .presentThen(let speed):
            // In real milliseconds; then come those that count `speed` times.
            let past = Double(max(0, self.realStart.milliseconds - self.start.milliseconds)) / self.speed
            let beyond = Milliseconds(rawValue: Int64((real - past) * speed))
            return min(simulated, max(self.start, self.realStart) + beyond)
        }
    }

    /// For others on this machine; nil for a clock that goes beyond the present.
    var description: ClockDescription? {
        guard self.horizon == .present else { return nil }
        return ClockDescription(
            simulated: self.start.milliseconds, real: self.realStart.milliseconds, speed: self.speed)
    }

    /// The clock has caught up with the present, and is the real one.
    package var isReal: Bool { self.isReal(at: self.now) }

    private func isReal(at now: Moment) -> Bool {
        self.horizon == .present && now >= Self.realNow() - .seconds(1)
    }

    /// How long a reader has to wait, in real time, until the clock shows a moment, if it keeps its present speed.
    package func realDuration(until moment: Moment) -> Duration {
        let now = self.now
        return .milliseconds(max(0, Double(moment.milliseconds - now.milliseconds)) / self.speed(at: now))
    }

    private func speed(at now: Moment) -> Double {
        switch self.horizon {
        case .none: self.speed
        case .present: self.isReal(at: now) ? 1 : self.speed
        case .presentThen(let speed): now < self.realStart ? self.speed : speed
        }
    }

    package static func realNow() -> Moment { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
}
