import Synchronization

/// Says something once, from any thread to any other.
package final class Flag: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isRaised: Bool { self.state.load(ordering: .acquiring) }

    package func raise() { self.state.store(true, ordering: .releasing) }
}
