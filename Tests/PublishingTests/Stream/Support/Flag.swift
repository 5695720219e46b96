import Synchronization

/// Says something once, from any thread to any other.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { self.state.load(ordering: .acquiring) }

    func raise() { self.state.store(true, ordering: .releasing) }
}
