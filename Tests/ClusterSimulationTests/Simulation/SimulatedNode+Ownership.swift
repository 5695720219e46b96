import EventSourcing
import Sharding

extension SimulatedNode {
    func read() {
        let (asked, known, wanted) = (self.now, self.confirmed, self.moves.count)
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
    private func doubt(_ known: [ShardID: ShardStanding]) {
        guard self.cluster.guards.believesReadings else { return }
        for row in self.view.shards {
            guard let standing = known[row.shard], !standing.isBorneOut(by: row) else { continue }
            self.doubt(row.shard, under: standing.epoch)
        }
    }

    /// The store may not have what is known here of the shard under this epoch.
    func doubt(_ shard: ShardID, under epoch: Epoch) {
        if let tenure = self.tenures[shard], tenure.epoch == epoch, !tenure.isFrozen { self.freeze(shard) }
    }

    func act() {
        for row in self.view.shards where row.owner != self.owner {
            if let tenure = self.tenures[row.shard], row.epoch > tenure.epoch { self.drop(row.shard) }
        }
        let plan = OwnershipPlan(self.view, by: self.owner, watch: self.watch, at: self.now, giftsAtATime: 2)
        for silent in plan.silent { self.depose(silent) }
        for gone in self.gone(by: plan) { self.depose(gone: gone) }
        let soleFrom = self.cluster.guards.patience ? plan.soleFrom : .zero
        for row in self.view.shards where row.owner == self.owner {
            if let tenure = self.tenures[row.shard] {
                self.tenures[row.shard]?.soleFrom = min(tenure.soleFrom, soleFrom)
            }
        }
        self.claim(plan.claims, soleFrom: soleFrom)
        for row in self.view.shards where row.owner == self.owner {
            // Given back, or taken again, by a statement of which nothing was heard.
            if let tenure = self.tenures[row.shard], tenure.epoch < row.epoch {
                self.doubt(row.shard, under: tenure.epoch)
            }
            self.adopt(row.shard, soleFrom: soleFrom)
        }
        for gift in plan.gifts {
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

    func claim(_ seen: [ShardRecord], soleFrom: Duration) {
        let rows = seen.filter { self.tenures[$0.shard] == nil && self.claiming.insert($0.shard).inserted }
        guard !rows.isEmpty else { return }
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.claim(rows, for: owner)
        } reply: { reply in
            self.claiming.subtract(rows.map(\.shard))
            // If it was done all the same, the next reading says so.
            guard case .done(let claimed) = reply else { return }
            self.own(claimed, soleFrom: soleFrom)
        }
    }

    /// The row says that it is ours, and we did not know.
    func adopt(_ shard: ShardID, soleFrom: Duration) {
        guard self.tenures[shard] == nil, self.claiming.insert(shard).inserted else { return }
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.reclaim(shard, for: owner)
        } reply: { reply in
            self.claiming.remove(shard)
            guard case .done(let claimed?) = reply else { return }
            self.own([claimed], soleFrom: soleFrom)
        }
    }

    private func own(_ claimed: [SimulatedStore.Claimed], soleFrom: Duration) {
        let ownerships = claimed.map(self.ownership)
        guard ownerships.allSatisfy({ self.confirmed[$0.shard]?.mayPrecede($0) ?? true }) else { return self.begin() }
        for (shard, ownership) in zip(claimed, ownerships) {
            self.turns[shard.shard, default: 0] += 1
            self.tenures[shard.shard] = Tenure(shard, soleFrom: soleFrom)
            self.confirmed[shard.shard] = ShardStanding(ownership)
        }
    }

    private func ownership(_ claimed: SimulatedStore.Claimed) -> ShardOwnership {
        ShardOwnership(
            shard: claimed.shard, epoch: claimed.epoch, incarnation: self.owner.incarnation,
            head: Sequence(rawValue: Int64(claimed.log.count)), lastRecordedAt: 0)
    }

    /// - Parameter isGiven: not called when the shard is lost before.
    func give(
        _ shard: ShardID, to recipient: ShardRecord.Owner, isGiven: @escaping (Bool) -> Void = { _ in }
    ) {
        guard var tenure = self.tenures[shard], tenure.recipient == nil, !tenure.isFrozen else { return isGiven(false) }
        tenure.recipient = recipient
        tenure.isGiven = isGiven
        let waiting = tenure.waiting
        tenure.waiting = []
        self.tenures[shard] = tenure
        for command in waiting { command.answer(.notOwner) }
        if tenure.inFlight.isEmpty { self.handOver(shard) }
    }

    func handOver(_ shard: ShardID) {
        guard let tenure = self.tenures[shard], let recipient = tenure.recipient else { return }
        let (owner, epoch) = (self.owner, tenure.epoch)
        self.cluster.request(from: self) {
            $0.give(shard, under: epoch, from: owner, to: recipient)
        } reply: { reply in
            switch reply {
            case .done(true): tenure.isGiven(true)
            case .unknown: tenure.isGiven(!self.cluster.guards.knownMoves)
            case .done(false), .refused: tenure.isGiven(false)
            }
            guard case .done(true) = reply else { return self.freeze(shard) }
            if self.cluster.guards.stopsBeforeGiving { self.drop(shard) }
        }
    }

    func drop(_ shard: ShardID) {
        guard let tenure = self.tenures.removeValue(forKey: shard) else { return }
        self.turns[shard, default: 0] += 1
        for command in tenure.inFlight + tenure.waiting { command.answer(.notOwner) }
    }

    /// Nobody knows how the log ends, or whose it is, before the store has said so under another epoch.
    func freeze(_ shard: ShardID) {
        guard self.tenures[shard] != nil else { return }
        self.turns[shard, default: 0] += 1
        self.tenures[shard]?.isFrozen = true
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.reclaim(shard, for: owner)
        } reply: { reply in
            guard let tenure = self.tenures[shard] else { return }
            switch reply {
            case .done(let claimed?):
                let (waiting, life) = (tenure.inFlight + tenure.waiting, self.life)
                self.own([claimed], soleFrom: tenure.soleFrom)
                guard life == self.life else { return }
                self.tenures[shard]?.waiting = waiting
                self.pump(shard)
            case .done(nil): self.drop(shard)
            case .refused, .unknown: self.after(.milliseconds(100)) { self.freeze(shard) }
            }
        }
    }
}
