package import Subscriptions

/// The time of day as the service sees it: of the machine, of a simulation, or of a test.
package protocol WallClock: Sendable {
    var now: Moment { get }

    /// It is meant to show what other machines' clocks show. That of a simulation is not.
    var isReal: Bool { get }

    /// How far `now` has left where an even run since the start would have brought it.
    var offset: Milliseconds { get }

    /// Returns when `now` has reached `moment`, at once when it has passed. May return early; callers look at `now`.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until moment: Moment) async throws
}

extension WallClock {
    package var isReal: Bool { true }
}
