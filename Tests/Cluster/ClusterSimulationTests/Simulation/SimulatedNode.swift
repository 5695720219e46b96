import EventLog
import Ownership

/// A node's shell around the machines of `Ownership`: it beats, reads, takes, gives and serves as the real one does.
final class SimulatedNode {
    let id: NodeID
    unowned let cluster: SimulatedCluster
    let terms: LeaseTerms
    /// How fast its clock runs, and what it shows at the start.
    let rate: Double
    let offset: Duration

    var isRunning = false
    /// Raised when the process or its run ends: what was on its way to an earlier one is lost.
    var life = 0
    var pausedUntil = Duration.zero

    var owner: ShardRecord.Owner
    var run: NodeRun?
    /// Of beats.
    var lease: Lease
    /// Of readings.
    var knowledge: Lease
    var watch: PeerWatch
    var view = ClusterView(nodes: [], shards: [])
    var hints = Suspicions()
    var knockedAt: Set<NodeID> = []
    /// Of every shard that this run has ever owned.
    var lifecycles: [ShardID: ShardLifecycle] = [:]
    /// Of those that it owns, as far as it knows.
    var work: [ShardID: ShardWork] = [:]
    /// Raised whenever a shard begins to be served or ceases to be.
    var turns: [ShardID: Int] = [:]
    var claiming: Set<ShardID> = []
    /// Asked for, and not yet looked at.
    var moves: [AskedMove] = []

    init(_ id: NodeID, in cluster: SimulatedCluster, terms: LeaseTerms, rate: Double, offset: Duration) {
        self.id = id
        self.cluster = cluster
        self.terms = terms
        self.rate = rate
        self.offset = offset
        self.owner = ShardRecord.Owner(node: id, incarnation: Incarnation(rawValue: 0))
        self.lease = Lease(terms: terms)
        self.knowledge = Lease(terms: terms)
        self.watch = PeerWatch(terms: terms)
    }

    // MARK: Time

    var now: Duration { self.offset + self.cluster.now * self.rate }

    /// By its own clock, unless this life ends before.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        let life = self.life
        self.cluster.after(delay / self.rate) { self.deliver(to: life, body) }
    }

    /// What arrives while the process is stopped waits.
    func deliver(to life: Int, _ body: @escaping () -> Void) {
        guard life == self.life else { return }
        guard self.cluster.now >= self.pausedUntil else {
            self.cluster.note(.pause)
            self.cluster.after(self.pausedUntil - self.cluster.now) { self.deliver(to: life, body) }
            return
        }
        body()
    }

    var isPaused: Bool { self.cluster.now < self.pausedUntil }
    var currentLife: Int { self.life }

    // MARK: Life

    func start() {
        guard !self.isRunning else { return }
        self.isRunning = true
        self.begin()
    }

    func kill() {
        if self.isRunning { self.cluster.note(.kill) }
        self.end()
    }

    private func end() {
        self.isRunning = false
        self.life += 1
        self.pausedUntil = .zero
        self.forget()
    }

    func pause(for duration: Duration) { self.pausedUntil = self.cluster.now + duration }

    func stop() {
        guard self.isRunning, let run = self.run else { return }
        self.lease.lose()
        self.cluster.request(from: self) {
            $0.leave(run)
        } reply: { [weak self] _ in
            self?.cluster.note(.stop)
            self?.end()
        }
    }

    func forget() {
        let commands = self.work.sorted { $0.key < $1.key }.flatMap { $0.value.inFlight + $0.value.waiting }
        self.lifecycles = [:]
        self.work = [:]
        self.claiming = []
        self.moves = []
        self.run = nil
        for command in commands { command.answer(.failed) }
    }

    /// As another run, which owns nothing yet.
    func begin() {
        self.life += 1
        self.forget()
        self.owner.incarnation = self.cluster.newIncarnation()
        self.lease = Lease(terms: self.terms)
        self.knowledge = Lease(terms: self.terms)
        self.watch = PeerWatch(terms: self.terms)
        self.hints = Suspicions()
        self.knockedAt = []
        self.register()
        self.read()
        self.drain()
    }

    func register() {
        self.cluster.request(from: self) { [id] in
            $0.nodes[id]?.liveEpoch
        } reply: { reply in
            guard case .done(let seen) = reply else { return self.after(.milliseconds(200)) { self.register() } }
            self.register(over: seen)
        }
    }

    func register(over seen: LiveEpoch?) {
        let (owner, sent) = (self.owner, self.now)
        self.cluster.request(from: self) { [terms] in
            $0.register(owner, over: seen, lease: terms.length)
        } reply: { reply in
            switch reply {
            case .done(let run?): self.run = run
            // It may be done yet, and undone by others: this run must not come back then.
            case .unknown where self.cluster.guards.comesBackAsAnother: return self.begin()
            case .done(nil), .refused, .unknown: return self.after(.milliseconds(200)) { self.register() }
            }
            self.lease.renew(sentAt: sent)
            self.after(self.terms.beatInterval) { self.beat() }
        }
    }

    func beat() {
        guard let run = self.run else { return }
        let sent = self.now
        self.cluster.request(from: self) {
            $0.beat(run)
        } reply: { reply in
            if case .done(true) = reply { self.lease.renew(sentAt: sent) }
            guard case .done(false) = reply else { return }
            if self.cluster.guards.comesBackAsAnother { self.begin() } else { self.register() }
        }
        self.after(self.terms.beatInterval) { self.beat() }
    }
}
