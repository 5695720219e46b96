import Distributed
import EventSourcing
import Synchronization

/// Where one shard's actor is found. Each has a lock of its own, so that resolving one shard never waits for another.
final class ActorSlot: Sendable {
    private struct State {
        weak var actor: (any DistributedActor)?
        var epoch: Epoch?
    }

    private let state = Mutex(State())

    var actor: (any DistributedActor)? {
        get { self.state.withLock { $0.actor } }
        set { self.state.withLock { $0.actor = newValue } }
    }

    /// Under which the shard is served to other nodes; nil while it is not.
    var epoch: Epoch? {
        get { self.state.withLock { $0.epoch } }
        set { self.state.withLock { $0.epoch = newValue } }
    }
}
