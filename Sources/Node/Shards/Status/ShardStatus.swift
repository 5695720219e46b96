import Clustering
package import EventLog
package import Ownership
package import ServiceContract
import Synchronization
import Waiting

/// The lifecycle of one shard, shared by committers, ownership controller, writer and readers: what any thread may know of the
/// shard without asking its writer, and the one place where it is told what happened.
package final class ShardStatus: Sendable {
    private struct State {
        var lifecycle = ShardLifecycle()
        /// Why nothing of this run can be believed any more.
        var loss: StoreError?
        /// From here on this process has written everything.
        var firstOwn: LogSequence?
        var ownTag: UInt32 = 0
        /// The newest place before that of which the store has said who wrote it: for some time it is the head.
        var inheritedHead: Position?
        /// What the store last said about an older place: most readers ask for the same one.
        var inherited: Position?
        /// The token that was last made, which is good for as long as the head stays.
        var token: (position: Position, text: String)?
    }

    /// The newest durable event; `tag` is nil when only the store knows who wrote it.
    package struct Head {
        package var sequence: LogSequence
        package var tag: UInt32?

        package init(sequence: LogSequence, tag: UInt32?) {
            self.sequence = sequence
            self.tag = tag
        }
    }

    private let shard: ShardID
    private let clock: NodeClock
    private let queue: ShardQueue
    let deadline = TimerDeadline()
    private let cluster: ClusterSystem
    /// What the shard's writer has not applied yet.
    let news = WriterMailbox()
    private let state = Mutex(State())
    private let changes = Atomic(0)

    init(of shard: ShardID, clock: NodeClock, queue: ShardQueue, cluster: ClusterSystem) {
        self.shard = shard
        self.clock = clock
        self.queue = queue
        self.cluster = cluster
    }

    // MARK: Asking

    /// Raised whenever the shard begins to be served or ceases to be: while it stays, an answer rests on one tenure.
    package var generation: Int { self.changes.load(ordering: .acquiring) }

    package var lifecycle: ShardLifecycle { self.state.withLock(\.lifecycle) }

    package var isServing: Bool { self.state.withLock { $0.lifecycle.isServing } }

    /// The epoch under which the shard is owned; nil when it is not.
    package var epoch: Epoch? { self.state.withLock { $0.lifecycle.servedEpoch } }

    package var isOwned: Bool { self.epoch != nil }

    /// As the writer has applied it; nil while the shard is not owned. A frozen one is.
    var ownedStanding: ShardStanding? {
        self.state.withLock { $0.lifecycle.servedEpoch == nil ? nil : $0.lifecycle.applied.standing }
    }

    /// The same; nil while the shard is not served, as a frozen one is not.
    var servedStanding: ShardStanding? {
        self.state.withLock { $0.lifecycle.isServing ? $0.lifecycle.applied.standing : nil }
    }

    /// - Throws: while the shard must not answer.
    package func head() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in
            let head = try Self.durableHead(in: state)
            guard state.lifecycle.isExclusive || state.lifecycle.handle(.waited(until: self.clock.now)) != nil else {
                throw ServiceError(.frozen, "the node that owned the shard before may still answer for it")
            }
            return head
        }
    }

    /// The same for lists of what is durable, which need not show all of it: also while an earlier owner may still answer.
    /// - Throws: while the end of the log is not known here.
    package func durableHead() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in try Self.durableHead(in: state) }
    }

    private static func durableHead(in state: borrowing State) throws(ServiceError) -> Head {
        guard !state.lifecycle.isLost else {
            throw ServiceError(.storeUnavailable, "the store has to be opened anew")
        }
        guard let standing = state.lifecycle.applied.standing else {
            throw ServiceError(.stopping, "the node has not taken its shards yet")
        }
        switch state.lifecycle.applied.phase {
        case .serving, .draining:
            return Head(sequence: standing.head, tag: Self.ownTag(of: standing.head, in: state))
        case .frozen: throw ServiceError(.frozen, "the outcome of a commit is being looked up")
        case .absent: throw ServiceError(.notOwner, "another node owns the shard")
        }
    }

    /// The tag of the incarnation that wrote `sequence`, where that is known without the store.
    func tag(of sequence: LogSequence) -> UInt32? {
        self.state.withLock { Self.ownTag(of: sequence, in: $0) }
    }

    private static func ownTag(of sequence: LogSequence, in state: borrowing State) -> UInt32? {
        if sequence == .zero { return 0 }
        if let firstOwn = state.firstOwn, let head = state.lifecycle.applied.standing?.head, sequence >= firstOwn,
            sequence <= head
        {
            return state.ownTag
        }
        if let head = state.inheritedHead, head.sequence == sequence { return head.incarnationTag }
        return state.inherited?.sequence == sequence ? state.inherited?.incarnationTag : nil
    }

    /// What the store said about a place before our first.
    func remember(_ position: Position) {
        self.state.withLock { state in
            if let head = state.inheritedHead, position.sequence < head.sequence {
                state.inherited = position
            } else {
                state.inheritedHead = position
            }
        }
    }

    /// The token of one place alone; `make` makes it where it is not the one of last time.
    func token(of position: Position, _ make: () -> String) -> String {
        self.state.withLock { state in
            if let token = state.token, token.position == position { return token.text }
            let text = make()
            state.token = (position, text)
            return text
        }
    }

    /// Whether a batch decided under `epoch` may still be committed.
    func mayCommit(under epoch: Epoch) -> Bool { self.state.withLock { $0.lifecycle.mayCommit(under: epoch) } }

    // MARK: Telling

    /// Takes one event and does what it asks for, before another one is taken: queue, timer, cluster and writer hear of events in
    /// the order in which they were taken.
    /// - Returns: what `ShardLifecycle.handle(_:)` does.
    @discardableResult
    func handle(_ event: ShardEvent) -> ShardActions? { self.take(event)?.actions }

    /// Begins a hand-off.
    /// - Returns: the epoch under which that is; nil when the shard is not served here.
    func drain() -> Epoch? { self.take(.draining)?.lifecycle.stored.epoch }

    /// The end of the run.
    func lose(_ error: StoreError) { _ = self.take(.stored(.lost), loss: error) }

    private func take(
        _ event: ShardEvent, loss: StoreError? = nil
    ) -> (actions: ShardActions, lifecycle: ShardLifecycle)? {
        var refused: ShardQueue.Refused?
        let taken: (actions: ShardActions, lifecycle: ShardLifecycle)? = self.state.withLock { state in
            guard let actions = state.lifecycle.handle(event) else { return nil }
            if let loss { state.loss = loss }
            refused = self.perform(actions, on: &state)
            return (actions, state.lifecycle)
        }
        // Whoever waits for these answers may come back here.
        if let refused { self.queue.answer(refused) }
        return taken
    }

    private func perform(_ actions: ShardActions, on state: inout State) -> ShardQueue.Refused? {
        if actions.isNewGeneration { self.changes.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        switch actions.cluster {
        case .serve(let epoch):
            // Owned again by the same process: what it had written before is still its own.
            if state.firstOwn == nil, let standing = state.lifecycle.applied.standing {
                state.firstOwn = LogSequence(rawValue: standing.head.rawValue + 1)
                state.ownTag = standing.incarnation.tag
            }
            self.cluster.serve(self.shard, under: epoch) { [queue] in queue.enqueue($0) }
        case .withdraw:
            (state.firstOwn, state.inheritedHead, state.inherited, state.token) = (nil, nil, nil, nil)
            self.cluster.serve(self.shard, under: nil)
        case nil: break
        }
        switch actions.timer {
        case .askStore: self.deadline.forget()
        case .rest, .close: self.deadline.wake()
        case nil: break
        }
        switch (actions.writer, state.loss) {
        case (.lost, let loss?): self.news.put(.lost(loss))
        case (let news?, _): self.news.put(.news(news))
        case (nil, _): break
        }
        return actions.queue.flatMap { self.queue.set($0, loss: state.loss) }
    }
}
