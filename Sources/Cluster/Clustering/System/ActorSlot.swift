import Distributed
import EventLog
import Synchronization

/// Where one shard's actor is found. Each has a lock of its own, so that resolving one shard never waits for another.
final class ActorSlot: Sendable {
    private struct State {
        weak var actor: (any DistributedActor)?
        var epoch: Epoch?
        /// Its owner is another node, or nobody.
        var isElsewhere = false
        var inbox: ClusterSystem.Inbox?

        func serves(_ epoch: Epoch) -> Bool { self.epoch.map { $0 >= epoch } ?? false }
    }

    private let state = Mutex(State())

    var actor: (any DistributedActor)? {
        get { self.state.withLock { $0.actor } }
        set { self.state.withLock { $0.actor = newValue } }
    }

    /// nil where calls go to another node.
    var actorToCall: (any DistributedActor)? { self.state.withLock { $0.isElsewhere ? nil : $0.actor } }

    func serve(under epoch: Epoch?, inbox: ClusterSystem.Inbox?) {
        self.state.withLock { state in
            state.epoch = epoch
            state.isElsewhere = epoch == nil
            state.inbox = inbox
        }
    }

    /// nil for a caller who knows of a newer epoch than the one under which the shard is served here, if it is at all.
    func actor(servedUnder epoch: Epoch) -> (any DistributedActor)? {
        self.state.withLock { $0.serves(epoch) ? $0.actor : nil }
    }

    /// The same, where there is an inbox.
    func inbox(servedUnder epoch: Epoch) -> ClusterSystem.Inbox? {
        self.state.withLock { $0.serves(epoch) && $0.actor != nil ? $0.inbox : nil }
    }
}
