import EventSourcing
import Sharding
import Synchronization

/// What any thread may know of a shard without asking its actor: whether it answers, and how far its log is durable.
final class ShardGate: Sendable {
    private enum Status {
        case unowned, serving, frozen, deposed, lost

        var isOwned: Bool {
            switch self {
            case .serving, .frozen: true
            case .unowned, .deposed, .lost: false
            }
        }
    }

    private struct State {
        var status = Status.unowned
        var epoch = Epoch(rawValue: 0)
        var incarnation = Incarnation(rawValue: 0)
        /// From then on nobody who owned the shard before answers any more; nil where that is known to be past.
        var soleFrom: ContinuousClock.Instant?
        var head = EventSourcing.Sequence.zero
        /// From here on this process has written everything.
        var firstOwn: EventSourcing.Sequence?
        var ownTag: UInt32 = 0
        /// What the store last said about an older place: most readers stand at the same one.
        var inherited: Position?
        /// The token that was last made, which is good for as long as the head stays.
        var token: (position: Position, text: String)?
    }

    /// The newest durable event; `tag` is nil when only the store knows who wrote it.
    struct Head {
        var sequence: EventSourcing.Sequence
        var tag: UInt32?
    }

    private let state = Mutex(State())
    private let changes = Atomic(0)

    /// Raised whenever the shard begins to be served or ceases to be: while it stays, an answer rests on one tenure.
    var turns: Int { self.changes.load(ordering: .acquiring) }

    private func turn(_ body: (inout State) -> Void) {
        self.state.withLock { state in
            self.changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
            body(&state)
        }
    }

    var isServing: Bool { self.state.withLock { $0.status == .serving } }

    /// Under which epoch the shard is owned; nil when it is not.
    var epoch: Epoch? { self.state.withLock { $0.status.isOwned ? $0.epoch : nil } }

    /// How the shard stands, as far as is known here; nil while it is not served.
    var standing: ShardStanding? {
        self.state.withLock { state in
            guard state.status == .serving else { return nil }
            return ShardStanding(epoch: state.epoch, incarnation: state.incarnation, head: state.head)
        }
    }

    /// - Throws: while the shard must not answer.
    func head() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in
            let head = try Self.durableHead(in: state)
            guard let soleFrom = state.soleFrom else { return head }
            guard soleFrom <= .now else {
                throw ServiceError(.frozen, "the node that owned the shard before may still answer for it")
            }
            state.soleFrom = nil
            return head
        }
    }

    /// The same for lists of what is durable, which need not show all of it: also while somebody else may still answer.
    /// - Throws: while nobody here knows it.
    func durableHead() throws(ServiceError) -> Head {
        try self.state.withLock { state throws(ServiceError) in try Self.durableHead(in: state) }
    }

    private static func durableHead(in state: borrowing State) throws(ServiceError) -> Head {
        switch state.status {
        case .serving: return Head(sequence: state.head, tag: Self.ownTag(of: state.head, in: state))
        case .unowned: throw ServiceError(.stopping, "the node has not taken its shards yet")
        case .frozen: throw ServiceError(.frozen, "the outcome of a commit is being looked up")
        case .deposed: throw ServiceError(.notOwner, "another node owns the shard")
        case .lost: throw ServiceError(.storeUnavailable, "the store has to be opened anew")
        }
    }

    /// The tag of the incarnation that wrote `sequence`, where that is known without the store.
    func tag(of sequence: EventSourcing.Sequence) -> UInt32? {
        self.state.withLock { Self.ownTag(of: sequence, in: $0) }
    }

    private static func ownTag(of sequence: EventSourcing.Sequence, in state: borrowing State) -> UInt32? {
        if sequence == .zero { return 0 }
        if let firstOwn = state.firstOwn, sequence >= firstOwn, sequence <= state.head { return state.ownTag }
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

    /// - Parameter soleFrom: nil where it is as it was.
    func open(_ ownership: ShardOwnership, soleFrom: ContinuousClock.Instant? = nil) {
        self.turn { state in
            if let soleFrom { state.soleFrom = soleFrom }
            state.epoch = ownership.epoch
            state.incarnation = ownership.incarnation
            // Taken again by the same process: what it had written before is still its own.
            if state.firstOwn == nil {
                state.firstOwn = EventSourcing.Sequence(rawValue: ownership.head.rawValue + 1)
                state.ownTag = ownership.incarnation.tag
            }
            state.head = ownership.head
            state.status = .serving
        }
    }

    /// Those who may still answer have turned out to be gone, some or all of them.
    func shortenWait(until soleFrom: ContinuousClock.Instant) {
        self.state.withLock { state in state.soleFrom = state.soleFrom.map { min($0, soleFrom) } }
    }

    func advance(to head: EventSourcing.Sequence) { self.state.withLock { $0.head = head } }

    func freeze() { self.turn { $0.status = .frozen } }

    /// Others write from here on.
    func depose() { self.turn { Self.depose(&$0) } }

    /// The same, if it is served under this epoch.
    /// - Returns: whether it was.
    func depose(under epoch: Epoch) -> Bool {
        self.state.withLock { state in
            guard state.status == .serving, state.epoch == epoch else { return false }
            self.changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
            Self.depose(&state)
            return true
        }
    }

    private static func depose(_ state: inout State) {
        state.status = .deposed
        state.firstOwn = nil
        state.inherited = nil
        state.token = nil
    }

    func lose() { self.turn { $0.status = .lost } }
}
