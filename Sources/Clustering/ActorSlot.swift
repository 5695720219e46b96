import Distributed
import Synchronization

/// Where one shard's actor is found. Each has a lock of its own, so that resolving one shard never waits for another.
final class ActorSlot: Sendable {
    private struct Reference {
        weak var actor: (any DistributedActor)?
    }

    private let reference = Mutex(Reference())

    var actor: (any DistributedActor)? {
        get { self.reference.withLock { $0.actor } }
        set { self.reference.withLock { $0.actor = newValue } }
    }
}
