import Synchronization

/// Once it is raised it stays so.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { self.value.load(ordering: .acquiring) }

    func raise() { self.value.store(true, ordering: .releasing) }
}
