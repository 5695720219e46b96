import EventLog
import Foundation
import Logging
import Ownership
import ServiceContract
import Synchronization
import Waiting

/// Watches the other nodes, and takes and gives shards as the plan of each reading says, on a thread of its own; beside it the
/// node's own beats.
final class OwnershipController: Sendable {
    private static let transfersAtATime = 4
    /// In seconds.
    private static let shortestPause = 0.01

    let lease: NodeLease
    private let store: any SharedEventStore
    private let terms: LeaseTerms
    /// By shard number.
    private let parts: [ShardParts]
    private let moves: ShardMoves
    private let committer: GroupCommitter
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let beats: Heartbeats
    private let handOff: ShardHandOff
    private let readings = BlockingEvent()
    private let takesAndGives = Atomic(true)
    private let hints = Mutex(Suspicions())
    private let onReading: @Sendable (Set<ShardRecord.Owner>) -> Void

    /// - Parameter onReading: hears which runs of other nodes live.
    init(
        store: any SharedEventStore, terms: LeaseTerms, lease: NodeLease, watch: ClockWatch, parts: [ShardParts],
        moves: ShardMoves, committer: GroupCommitter, metrics: RuntimeMetrics, logger: Logger,
        onReading: @escaping @Sendable (Set<ShardRecord.Owner>) -> Void
    ) {
        self.store = store
        self.terms = terms
        self.lease = lease
        self.parts = parts
        self.moves = moves
        self.committer = committer
        self.metrics = metrics
        self.logger = logger
        self.beats = Heartbeats(
            store: store, terms: terms, lease: lease, watch: watch, metrics: metrics, logger: logger)
        self.handOff = ShardHandOff(store: store, parts: parts, metrics: metrics)
        self.onReading = onReading
    }

    /// Registers the run and keeps it alive until `stop()`; then says that it is over.
    /// - Parameter onRetirement: called when the store is at a feature level that the node does not support. Nothing
    ///   more is taken or given then; what is owned is still beaten for, until it has been given up in good order.
    /// - Returns: why it cannot go on: it could not be registered, was taken for dead (`.deposed`), another process has begun
    ///   as this node (`.fenced`), or the log was rewound.
    func run(
        as node: NodeRecord, onRetirement: @escaping @Sendable (StoreError) -> Void
    ) async -> StoreError? {
        let registered = Mutex<NodeRun?>(nil)
        let refusal = await DedicatedThread.failure(named: "beats") { () throws(StoreError) in
            let run = try self.beats.register(node)
            registered.withLock { $0 = run }
        }
        guard let run = registered.withLock(\.self) else { return refusal }
        async let beating = DedicatedThread.failure(named: "beats") { () throws(StoreError) in
            defer { self.readings.stop() }
            try self.beats.beat(as: run)
        }
        async let reading = DedicatedThread.failure(named: "readings") { () throws(StoreError) in
            defer { self.moves.close() }
            self.moves.onRequest { self.readings.wake() }
            do throws(StoreError) {
                try self.read(as: run, supporting: node.featureLevel, onRetirement: onRetirement)
            } catch {
                self.beats.stop()
                throw error
            }
        }
        let failure = await reading
        let end = await beating
        self.lease.lose()
        return end ?? failure
    }

    /// Somebody takes this node for an owner: it may have been given something.
    func readSoon() { self.readings.wake() }

    /// Whether an attempt to connect to a run, whose connection was lost, was refused.
    func noteProbe(at peer: ShardRecord.Owner, isRefused: Bool) {
        let now = self.lease.now
        self.hints.withLock { hints in
            if isRefused { hints.noteRefusal(by: peer, at: now) } else { hints.withdraw(peer) }
        }
    }

    /// Takes and gives nothing more; what is owned is still beaten for, and held against what the store says.
    func stopTaking() {
        self.takesAndGives.store(false, ordering: .relaxed)
        self.moves.close()
    }

    /// Says that the run is over, and ends.
    func stop() { self.beats.stop() }

    private func read(
        as run: NodeRun, supporting level: FeatureLevel, onRetirement: (StoreError) -> Void
    ) throws(StoreError) {
        var watch = PeerWatch(terms: self.terms)
        var trouble = StoreTrouble(
            self.logger, "Who owns what cannot be read or changed", "Who owns what can be read again")
        while !self.readings.isStopping {
            let asked = self.lease.now
            // Where a shard is has to be read after somebody has asked for it to be elsewhere.
            let wanted = min(self.moves.waiting, Self.transfersAtATime)
            let known = self.lifecycles
            do throws(StoreError) {
                let view = try self.store.view()
                if self.isTaking, let refusal = level.refusal(of: view.featureLevel) { onRetirement(refusal) }
                watch.observe(
                    view.nodes, askedAt: asked, at: self.lease.now, hints: self.hints.withLock(\.self))
                if self.isConsistent(view, known, as: run) { self.lease.noteReading(askedAt: asked) }
                if self.isTaking {
                    self.onReading(view.living.subtracting([run.owner]))
                    try self.doubt(known, shownBy: view, as: run)
                    try self.act(on: view, as: run, watch)
                    for request in self.moves.take(atMost: wanted) { request.end(self.move(request, as: run, view)) }
                }
                trouble.end()
            } catch {
                guard [.unavailable, .full].contains(error.code) || !self.isTaking else { throw error }
                trouble.record(error)
                self.moves.refuseAll(ServiceError(error))
            }
            self.readings.wait(atMost: self.terms.readingInterval - (self.lease.now - asked))
            // However many ask in vain, the store is not asked all the time.
            Thread.sleep(forTimeInterval: Self.shortestPause)
        }
    }

    private var lifecycles: [ShardLifecycle] { self.parts.map(\.status.lifecycle) }

    private func status(of shard: ShardID) -> ShardStatus { self.parts[Int(shard.rawValue)].status }

    private var isTaking: Bool { self.takesAndGives.load(ordering: .relaxed) }

    /// Nothing that is served here is another's by what the store says, or unknown to it. What is stays so until its gate has
    /// turned, and until then no answer rests on this.
    /// - Parameter known: before the view was asked for.
    private func isConsistent(_ view: ClusterView, _ known: [ShardLifecycle], as run: NodeRun) -> Bool {
        view.shards.allSatisfy { row in
            guard let epoch = self.status(of: row.shard).epoch else { return true }
            if row.owner != run.owner, row.epoch > epoch { return false }
            guard let standing = known[Int(row.shard.rawValue)].stored.standing, standing.epoch == epoch else {
                return true
            }
            return standing.isConsistent(with: row)
        }
    }

    /// A database that has failed over may have forgotten that this run owns a shard, or its last events. Whoever else goes by
    /// what it says now may be the owner, so this one does as well, before it answers much more.
    /// - Parameter known: before the view was asked for.
    private func doubt(
        _ known: [ShardLifecycle], shownBy view: ClusterView, as run: NodeRun
    ) throws(StoreError) {
        var rewound: [ShardID: Epoch] = [:]
        for row in view.shards {
            let lifecycle = known[Int(row.shard.rawValue)]
            if lifecycle.finding(row, by: run.owner) == .rewound { rewound[row.shard] = lifecycle.stored.epoch }
        }
        if !rewound.isEmpty { try self.committer.doubt(rewound) }
    }

    private func act(on view: ClusterView, as run: NodeRun, _ watch: PeerWatch) throws(StoreError) {
        for row in view.shards {
            let lifecycle = self.status(of: row.shard).lifecycle
            guard lifecycle.finding(row, by: run.owner) == .lost, let epoch = lifecycle.stored.epoch else { continue }
            self.status(of: row.shard).handle(.stored(.released(under: epoch)))
        }
        let plan = OwnershipPlan(
            view, by: run.owner, watch: watch, at: self.lease.now, transfersAtATime: Self.transfersAtATime)
        for silent in plan.silent { try self.depose(silent, "A node is taken for dead") }
        for gone in plan.gone { try self.depose(gone, "A node that refuses connections is taken for dead") }
        for row in view.shards where row.owner == run.owner {
            self.status(of: row.shard).handle(.waitShortened(until: plan.exclusiveFrom))
        }
        let free = plan.claims.filter { self.status(of: $0.shard).lifecycle.stored.epoch == nil }
        if !free.isEmpty {
            let taken = try self.committer.own(exclusiveFrom: plan.exclusiveFrom) { () throws(StoreError) in
                try self.store.take(free, as: run)
            }
            self.metrics.recordTaken(taken.count)
        }
        // Given to this run, or taken by a statement whose outcome it did not hear.
        let gained = view.shards.filter {
            self.status(of: $0.shard).lifecycle.finding($0, by: run.owner) == .gained
        }
        if !gained.isEmpty { _ = try self.committer.adopt(gained.map(\.shard), exclusiveFrom: plan.exclusiveFrom) }
        // Answers must not lapse while shards are given away: what is left is planned again.
        for transfer in plan.transfers where self.lease.remaining > self.terms.reads / 4 {
            guard let next = view.living.first(where: { $0.node == transfer.to }) else { continue }
            _ = self.handOff.give(transfer.shard, as: run, to: next)
        }
    }

    private func depose(_ node: NodeStatus, _ message: Logger.Message) throws(StoreError) {
        guard try self.store.depose(node) else { return }
        self.logger.warning(message, metadata: .runtime([.node: "\(node.id.rawValue)"]))
        // What it owned is there to be claimed from the next reading on.
        self.readings.wake()
    }

    private func move(_ request: ShardMoves.Request, as run: NodeRun, _ view: ClusterView) -> Result<Void, ServiceError>
    {
        guard let next = view.living.first(where: { $0.node == request.node }) else {
            return .failure(ServiceError(.invalidRequest, "no node that lives is called \(request.node.rawValue)"))
        }
        let isHere = next == run.owner && view.shards[Int(request.shard.rawValue)].owner == next
        if isHere || next != run.owner && self.handOff.give(request.shard, as: run, to: next) { return .success(()) }
        return .failure(ServiceError(.notOwner, "the shard could not be given away now"))
    }
}
