package import EventLog
import Ownership
package import ServiceContract
import Synchronization
import Waiting

/// What any thread may know of a shard without asking its actor: whether it answers, and how far its log is durable.
package final class ShardGate: Sendable {
    private struct State {
        var tenure = ShardTenure()
        /// The store has to be opened anew: nothing of this run can be believed any more.
        var isLost = false
        /// From here on this process has written everything.
        var firstOwn: LogSequence?
        var ownTag: UInt32 = 0
        /// What the store last said about an older place: most readers stand at the same one.
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

    private let clock: NodeClock
    private let state = Mutex(State())
    private let changes = Atomic(0)

    init(clock: NodeClock) { self.clock = clock }

    /// Raised whenever the shard begins to be served or ceases to be: while it stays, an answer rests on one tenure.
    package var turns: Int { self.changes.load(ordering: .acquiring) }

    private func turn(_ body: (inout State) -> Void) {
        self.state.withLock { state in
            self.changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
            body(&state)
        }
    }

    package var isServing: Bool { self.state.withLock { !$0.isLost && $0.tenure.isServing } }

    /// Under which epoch the shard is owned; nil when it is not.
    package var epoch: Epoch? { self.state.withLock { $0.isLost ? nil : $0.tenure.epoch } }

    /// How the shard stands, as far as is known here; nil while it is not served.
    var standing: ShardStanding? {
        self.state.withLock { !$0.isLost && $0.tenure.isServing ? $0.tenure.standing : nil }
    }

    /// - Throws: while the shard must not answer.
    package func head() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in
            let head = try Self.durableHead(in: state)
            guard state.tenure.isSole || state.tenure.endWait(at: self.clock.now) else {
                throw ServiceError(.frozen, "the node that owned the shard before may still answer for it")
            }
            return head
        }
    }

    /// The same for lists of what is durable, which need not show all of it: also while somebody else may still answer.
    /// - Throws: while nobody here knows it.
    package func durableHead() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in try Self.durableHead(in: state) }
    }

    private static func durableHead(in state: borrowing State) throws(ServiceError) -> Head {
        guard !state.isLost else { throw ServiceError(.storeUnavailable, "the store has to be opened anew") }
        guard let standing = state.tenure.standing else {
            throw ServiceError(.stopping, "the node has not taken its shards yet")
        }
        switch state.tenure.phase {
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
        if let firstOwn = state.firstOwn, let head = state.tenure.standing?.head, sequence >= firstOwn, sequence <= head
        {
            return state.ownTag
        }
        return state.inherited?.sequence == sequence ? state.inherited?.incarnationTag : nil
    }

    /// What the store said about a place before our first.
    func remember(_ position: Position) { self.state.withLock { $0.inherited = position } }

    /// The token of one place alone; `make` makes it where it is not the one of last time.
    func token(of position: Position, _ make: () -> String) -> String {
        self.state.withLock { state in
            if let token = state.token, token.position == position { return token.text }
            let text = make()
            state.token = (position, text)
            return text
        }
    }

    // MARK: Told by the shard

    /// - Parameter soleFrom: as `ShardTenure.own(_:soleFrom:)` takes it.
    func open(_ ownership: ShardOwnership, soleFrom: Duration?) {
        self.turn { state in
            let mayGoOn = state.tenure.own(ownership, soleFrom: soleFrom)
            precondition(mayGoOn, "a store that has been rewound is the end of the journal, which tells of it")
            // Taken again by the same process: what it had written before is still its own.
            if state.firstOwn == nil {
                state.firstOwn = LogSequence(rawValue: ownership.head.rawValue + 1)
                state.ownTag = ownership.incarnation.tag
            }
        }
    }

    /// Those who may still answer have turned out to be gone, some or all of them.
    func shortenWait(until soleFrom: Duration) { self.state.withLock { $0.tenure.shortenWait(until: soleFrom) } }

    func advance(to head: LogSequence, under epoch: Epoch) {
        self.state.withLock { $0.tenure.advance(to: head, under: epoch) }
    }

    func freeze(under epoch: Epoch) { self.turn { _ = $0.tenure.freeze(under: epoch) } }

    /// Others write from here on, or will.
    /// - Returns: whether it was served until now, under this epoch.
    @discardableResult
    func letGo(under epoch: Epoch) -> Bool {
        self.state.withLock { state in
            let wasServing = state.tenure.isServing
            guard state.tenure.letGo(under: epoch) else { return false }
            self.changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
            state.firstOwn = nil
            state.inherited = nil
            state.token = nil
            return wasServing
        }
    }

    func lose() { self.turn { $0.isLost = true } }
}
