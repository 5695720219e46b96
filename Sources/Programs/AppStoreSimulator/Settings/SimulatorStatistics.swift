package import Subscriptions

/// What a simulation has done since it was started.
package struct SimulatorStatistics: Hashable, Sendable {
    /// What the simulated clock shows.
    package var now: Moment
    package var customers = 0
    /// Notifications that were entered. One may be signed up to three seconds later.
    package var notifications = 0
    /// Those of which a first attempt was made: those that the notification history knows.
    package var attempted = 0
    /// Those answered with success; repetitions do not count.
    package var delivered = 0
    /// Attempts without success, lost ones among them.
    package var failedAttempts = 0
    /// Attempts that were lost on purpose.
    package var lost = 0
    /// Delivered ones that were sent again on purpose.
    package var repeated = 0
    /// Notifications whose last attempt failed.
    package var givenUp = 0
    /// Notifications that are under way, delayed, or waiting for their next attempt.
    package var waiting = 0
    /// Attempts are due, or under way.
    package var isBehind = false
    /// False while nobody listens at the address of delivery.
    package var isReachable = true
}
