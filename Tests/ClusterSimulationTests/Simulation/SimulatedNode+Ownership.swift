import EventSourcing
import Sharding

extension SimulatedNode {
    func read() {
        let (asked, confirmed) = (self.now, self.tenures.mapValues(\.log.count))
        self.cluster.request(from: self) {
            ($0.view, $0.inbox)
        } reply: { reply in
            let life = self.life
            defer {
                if life == self.life {
                    self.after(max(.zero, self.terms.readingInterval - (self.now - asked))) { self.read() }
                }
            }
            guard case .done(let (view, inbox)) = reply else { return }
            // Shorter than what was confirmed before: the database has lost commits.
            guard view.shards.allSatisfy({ $0.head.rawValue >= confirmed[$0.shard, default: 0] }) else {
                return self.begin()
            }
            self.view = view
            self.watch.observe(view.nodes, askedAt: asked, at: self.now)
            self.act(inbox)
        }
    }

    func act(_ inbox: [Operation: ShardID]) {
        for row in self.view.shards where row.owner != self.owner {
            if let tenure = self.tenures[row.shard], row.epoch > tenure.epoch { self.drop(row.shard) }
        }
        let plan = OwnershipPlan(self.view, by: self.owner, watch: self.watch, at: self.now, giftsAtATime: 2)
        for silent in plan.silent { self.depose(silent) }
        for suspect in self.view.nodes where self.suspects.contains(suspect.id) && suspect.life == .live {
            self.depose(suspect)
        }
        self.suspects = []
        let soleFrom = self.cluster.guards.patience ? plan.soleFrom : .zero
        self.claim(plan.claims, soleFrom: soleFrom)
        for row in self.view.shards where row.owner == self.owner {
            self.adopt(row.shard, soleFrom: soleFrom)
        }
        for gift in plan.gifts { self.give(gift) }
        for (operation, shard) in inbox.sorted(by: { $0.key < $1.key }) where self.tenures[shard] != nil {
            self.apply(operation, to: shard)
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
            for shard in claimed { self.tenures[shard.shard] = Tenure(shard, soleFrom: soleFrom) }
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
            self.tenures[shard] = Tenure(claimed, soleFrom: soleFrom)
        }
    }

    func give(_ gift: Placement.Move) {
        guard let recipient = self.view.nodes.first(where: { $0.id == gift.to && $0.life == .live })?.owner,
            var tenure = self.tenures[gift.shard], tenure.recipient == nil, !tenure.isFrozen
        else { return }
        tenure.recipient = recipient
        let waiting = tenure.waiting
        tenure.waiting = []
        self.tenures[gift.shard] = tenure
        for command in waiting { command.answer(.notOwner) }
        if tenure.inFlight.isEmpty { self.handOver(gift.shard) }
    }

    func handOver(_ shard: ShardID) {
        guard let tenure = self.tenures[shard], let recipient = tenure.recipient else { return }
        let (owner, epoch) = (self.owner, tenure.epoch)
        self.cluster.request(from: self) {
            $0.give(shard, under: epoch, from: owner, to: recipient)
        } reply: { reply in
            guard case .done(true) = reply else { return self.freeze(shard) }
            if self.cluster.guards.stopsBeforeGiving { self.drop(shard) }
        }
    }

    func drop(_ shard: ShardID) {
        guard let tenure = self.tenures.removeValue(forKey: shard) else { return }
        for command in tenure.inFlight + tenure.waiting { command.answer(.notOwner) }
    }

    /// Nobody knows how the log ends, or whose it is, before the store has said so under another epoch.
    func freeze(_ shard: ShardID) {
        guard self.tenures[shard] != nil else { return }
        self.tenures[shard]?.isFrozen = true
        let owner = self.owner
        self.cluster.request(from: self) {
            $0.reclaim(shard, for: owner)
        } reply: { reply in
            guard var tenure = self.tenures[shard] else { return }
            switch reply {
            case .done(let claimed?):
                guard claimed.log.count >= tenure.log.count else { return self.begin() }
                let waiting = tenure.inFlight + tenure.waiting
                tenure = Tenure(claimed, soleFrom: tenure.soleFrom)
                tenure.waiting = waiting
                self.tenures[shard] = tenure
                self.pump(shard)
            case .done(nil): self.drop(shard)
            case .refused, .unknown: self.after(.milliseconds(100)) { self.freeze(shard) }
            }
        }
    }
}
