import Synchronization

/// The commands that came in one message: their replies leave together, once there are all, or once that has taken long.
package final class ReplyGroup: Sendable {
    /// Replies that are there by then do not wait any more.
    let due: ContinuousClock.Instant
    /// One for each command, and one for the reader of the message until it has seen it all.
    private let missing = Atomic(1)

    package init(patience: Duration, from start: ContinuousClock.Instant = .now) { self.due = start + patience }

    package func enter() { self.missing.wrappingAdd(1, ordering: .relaxed) }

    /// - Returns: whether the replies are to leave.
    package func leave() -> Bool {
        self.missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 || self.due <= .now
    }

    var isComplete: Bool { self.missing.load(ordering: .acquiring) == 0 }
}
