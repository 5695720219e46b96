import EventLog
import Ownership
import PerennialTestSupport

extension SimulatedNode {
    func read() {
        let (asked, known, wanted) = (self.now, self.lifecycles, self.moves.count)
        self.cluster.request(from: self) {
            $0.view
        } reply: { reply in
            let life = self.life
            defer {
                if life == self.life {
                    self.after(max(.zero, self.terms.readingInterval - (self.now - asked))) { self.read() }
                }
            }
            guard case .done(let view) = reply else { return self.refuseMoves() }
            self.view = view
            self.watch.observe(view.nodes, askedAt: asked, at: self.now, hints: self.hints)
            self.doubt(known)
            self.knowledge.renew(sentAt: asked)
            self.act()
            self.makeMoves(atMost: wanted)
        }
    }

    /// - Parameter known: before the view was asked for.
    private func doubt(_ known: [ShardID: ShardLifecycle]) {
        guard self.cluster.guards.believesReadings else { return }
        for row in self.view.shards {
            guard let lifecycle = known[row.shard], lifecycle.finding(row, by: self.owner) == .rewound,
                let epoch = lifecycle.stored.epoch
            else { continue }
            self.freeze(row.shard, under: epoch)
        }
    }

    private func finding(_ row: ShardRecord) -> ShardLifecycle.Finding {
        self.lifecycles[row.shard, default: ShardLifecycle()].finding(row, by: self.owner)
    }

    func act() {
        for row in self.view.shards {
            if self.finding(row) == .lost, let epoch = self.lifecycles[row.shard]?.stored.epoch {
                self.letGo(row.shard, under: epoch)
            }
        }
        let plan = OwnershipPlan(self.view, by: self.owner, watch: self.watch, at: self.now, transfersAtATime: 2)
        for silent in plan.silent { self.depose(silent) }
        for gone in self.gone(by: plan) { self.depose(gone: gone) }
        let exclusiveFrom = self.cluster.guards.patience ? plan.exclusiveFrom : .zero
        for row in self.view.shards where row.owner == self.owner {
            self.lifecycles[row.shard]?.takeAndApply(.waitShortened(until: exclusiveFrom))
        }
        self.claim(plan.claims, exclusiveFrom: exclusiveFrom)
        for row in self.view.shards where self.finding(row) == .gained {
            self.takeAgain(row.shard, exclusiveFrom: exclusiveFrom)
        }
        for gift in plan.transfers {
            guard let next = self.view.living.first(where: { $0.node == gift.to }) else { continue }
            self.give(gift.shard, to: next)
        }
    }

    func depose(_ node: NodeStatus) {
        guard node.id != self.id else { return }
        if self.watch.isSilent(node.id, at: self.now) { self.cluster.willDepose() }
        self.cluster.request(from: self) {
            $0.depose(node)
        } reply: { _ in
        }
    }

    func claim(_ seen: [ShardRecord], exclusiveFrom: Duration) {
        let rows = seen.filter { self.work[$0.shard] == nil && self.claiming.insert($0.shard).inserted }
        guard !rows.isEmpty else { return }
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.claim(rows, for: owner)
        } reply: { reply in
            self.claiming.subtract(rows.map(\.shard))
            // If it was done all the same, the next reading says so.
            guard case .done(let claimed) = reply else { return }
            self.own(claimed, exclusiveFrom: exclusiveFrom)
        }
    }

    /// What the row says is ours, or may be.
    /// - Parameter exclusiveFrom: nil where it is as it was.
    private func takeAgain(_ shard: ShardID, exclusiveFrom: Duration? = nil) {
        // Who takes it already hears the same.
        guard self.claiming.insert(shard).inserted else { return }
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.reclaim(shard, for: owner)
        } reply: { reply in
            self.claiming.remove(shard)
            switch reply {
            case .done(let claimed?): self.own([claimed], exclusiveFrom: exclusiveFrom)
            case .done(nil):
                if let epoch = self.lifecycles[shard]?.stored.epoch { self.letGo(shard, under: epoch) }
            case .refused, .unknown:
                guard self.isFrozen(shard) else { return }
                self.after(.milliseconds(100)) { if self.isFrozen(shard) { self.takeAgain(shard) } }
            }
        }
    }

    private func isFrozen(_ shard: ShardID) -> Bool { self.lifecycles[shard]?.stored.phase == .frozen }

    private func own(_ claimed: [SimulatedStore.Claimed], exclusiveFrom: Duration?) {
        for claim in claimed {
            let shard = claim.shard
            let news = ShardNews.owned(self.ownership(claim), exclusiveFrom: exclusiveFrom)
            guard self.lifecycles[shard, default: ShardLifecycle()].takeAndApply(.stored(news)) else {
                return self.begin()
            }
            self.turns[shard, default: 0] += 1
            let before = self.work[shard]
            self.work[shard] = ShardWork(claim, waiting: before.map { $0.inFlight + $0.waiting } ?? [])
            before?.gift?.isGiven(false)
            self.pump(shard)
        }
    }

    private func ownership(_ claimed: SimulatedStore.Claimed) -> ShardOwnership {
        ShardOwnership(
            shard: claimed.shard, epoch: claimed.epoch, incarnation: self.owner.incarnation,
            head: LogSequence(rawValue: Int64(claimed.log.count)), lastRecordedAt: 0)
    }

    /// - Parameter isGiven: not called when this life ends before.
    func give(
        _ shard: ShardID, to recipient: ShardRecord.Owner, isGiven: @escaping (Bool) -> Void = { _ in }
    ) {
        guard self.take(.draining, shard), let work = self.work[shard] else { return isGiven(false) }
        self.work[shard]?.gift = (recipient, isGiven)
        self.work[shard]?.waiting = []
        for command in work.waiting { command.answer(.notOwner) }
        if work.inFlight.isEmpty { self.handOver(shard) }
    }

    /// Nothing is in flight any more.
    func handOver(_ shard: ShardID) {
        guard let epoch = self.lifecycles[shard]?.stored.epoch, let gift = self.work[shard]?.gift else { return }
        if self.cluster.guards.stopsBeforeGiving {
            guard self.take(.handedOver(under: epoch), shard) else { return }
            self.forget(shard)
        }
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.give(shard, under: epoch, from: owner, to: gift.recipient)
        } reply: { reply in
            _ = self.take(.kept(under: epoch), shard)
            switch reply {
            case .done(true): gift.isGiven(true)
            case .unknown: gift.isGiven(!self.cluster.guards.knownMoves)
            case .done(false), .refused: gift.isGiven(false)
            }
        }
    }

    func letGo(_ shard: ShardID, under epoch: Epoch) {
        guard self.take(.stored(.released(under: epoch)), shard) else { return }
        self.work[shard]?.gift?.isGiven(false)
        self.forget(shard)
    }

    private func take(_ event: ShardEvent, _ shard: ShardID) -> Bool {
        self.lifecycles[shard]?.takeAndApply(event) ?? false
    }

    private func forget(_ shard: ShardID) {
        self.turns[shard, default: 0] += 1
        guard let work = self.work.removeValue(forKey: shard) else { return }
        for command in work.inFlight + work.waiting { command.answer(.notOwner) }
    }

    /// Nobody knows how the log ends, or whose it is, before the store has said so under another epoch.
    func freeze(_ shard: ShardID, under epoch: Epoch) {
        guard self.take(.stored(.frozen(under: epoch)), shard) else { return }
        self.turns[shard, default: 0] += 1
        self.takeAgain(shard)
    }
}
