import Synchronization

/// The commands that came in one message: their replies leave together, once there are all.
package final class ReplyGroup: Sendable {
    /// One for each command, and one for the reader of the message until it has seen it all.
    private let missing = Atomic(1)

    package init() {}

    package func enter() { self.missing.wrappingAdd(1, ordering: .relaxed) }

    /// - Returns: whether that was the last one.
    package func leave() -> Bool { self.missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

    var isComplete: Bool { self.missing.load(ordering: .acquiring) == 0 }
}
