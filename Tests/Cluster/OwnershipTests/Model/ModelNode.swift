import EventLog
import Ownership
import PerennialTestSupport

/// A node around the machines of `Ownership`, and what is on its way between it and the store.
struct ModelNode: Hashable {
    enum Beat: Hashable {
        case none
        case sent(at: Duration)
        case answered(sentAt: Duration, isKnown: Bool)
    }

    struct Reading: Hashable {
        var asked: Duration
        var store: ModelStore
    }

    struct Claim: Hashable {
        var run: ModelStore.Run
        /// The shard's.
        var epoch: Int8
        var exclusiveFrom: Duration
    }

    enum Append: Hashable {
        case none
        case sent(ModelStore.Run, ShardStanding)
        /// Nobody has been told yet.
        case recorded
    }

    /// An answer before it leaves.
    struct Answer: Hashable {
        var head: LogSequence
        /// What it has to show: what others were told before it was asked for.
        var floor: LogSequence
    }

    var run: ModelStore.Run
    var lease: Lease
    var watch: PeerWatch
    var beat = Beat.none
    var reading: Reading?
    /// To be taken for dead as it was seen.
    var silent: ModelStore.Row?
    var claim: Claim?
    var lifecycle = ShardLifecycle()
    var append = Append.none
    var answer: Answer?

    init(_ run: ModelStore.Run, terms: LeaseTerms, registeredAt now: Duration) {
        self.run = run
        self.lease = Lease(terms: terms)
        self.watch = PeerWatch(terms: terms)
        self.lease.renew(sentAt: now)
    }

    /// As another run, while what has been sent is still under way.
    func restarted(terms: LeaseTerms, at now: Duration) -> ModelNode {
        var next = ModelNode(
            ModelStore.Run(member: self.run.member, incarnation: self.run.incarnation + 1), terms: terms,
            registeredAt: now)
        (next.silent, next.claim) = (self.silent, self.claim)
        if case .sent = self.append { next.append = self.append }
        return next
    }

    /// Somebody has taken this run for dead: it drops everything.
    mutating func lose() {
        self.lease.lose()
        (self.lifecycle, self.answer, self.reading) = (ShardLifecycle(), nil, nil)
    }

    /// What a reading makes it do: it plans as the real one does.
    ///
    /// - Parameter suspects: a connection to the other was refused, which is a hint that it is dead.
    mutating func hear(
        _ store: ModelStore, askedAt asked: Duration, at now: Duration, lease: Duration, suspects: Bool
    ) {
        let (me, other) = (self.run.member, self.run.member.other)
        let view = ClusterView(
            nodes: [store.status(me, lease: lease), store.status(other, lease: lease)], shards: [store.shard])
        // What it makes of its own beats matters to nobody.
        self.watch.observe(view.nodes.filter { $0.id != ModelStore.id(me) }, askedAt: asked, at: now)
        let plan = OwnershipPlan(
            view, by: ModelStore.owner(self.run), watch: self.watch, at: now, transfersAtATime: 1)
        // Who has begun another run is not waited for any more.
        if store.owner == self.run { self.lifecycle.takeAndApply(.waitShortened(until: plan.exclusiveFrom)) }
        guard store.lives(self.run) else { return }
        if !plan.silent.isEmpty || suspects { self.silent = store.rows[other] }
        if !plan.claims.isEmpty, self.lifecycle.stored.epoch == nil {
            self.claim = Claim(run: self.run, epoch: store.epoch, exclusiveFrom: plan.exclusiveFrom)
        }
    }
}
