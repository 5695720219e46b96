import EventSourcing
import Sharding

extension SimulatedNode {
    /// As the owner.
    func take(_ command: Command, for shard: ShardID) {
        guard let tenure = self.tenures[shard], tenure.recipient == nil else { return command.answer(.notOwner) }
        self.tenures[shard]?.waiting.append(command)
        self.pump(shard)
    }

    func pump(_ shard: ShardID) {
        guard var tenure = self.tenures[shard], !tenure.isFrozen, tenure.recipient == nil, tenure.inFlight.isEmpty,
            !tenure.waiting.isEmpty
        else { return }
        tenure.beginBatch()
        self.tenures[shard] = tenure
        let remembered = tenure.inFlight.filter { self.isUnique($0) && tenure.operations.contains($0.operation) }
        guard !remembered.isEmpty else { return self.append(to: shard) }
        self.lookUp(Set(remembered.map(\.operation)), in: shard, under: tenure.epoch)
    }

    private func isUnique(_ command: Command) -> Bool {
        let guards = self.cluster.guards
        return guards.deduplication && (guards.keptDeduplication || !command.isKept)
    }

    /// The real one asks for every dedup key. Those that are not remembered here the store refuses to have twice, which
    /// comes to the same.
    private func lookUp(_ operations: Set<Operation>, in shard: ShardID, under epoch: Epoch) {
        guard self.cluster.guards.deduplicatesByTheStore else {
            let rewinds = self.cluster.store.rewinds
            return self.decide(shard, SimulatedStore.Stored(operations: operations, rewinds: rewinds))
        }
        self.cluster.request(from: self) {
            $0.stored(operations, in: shard)
        } reply: { reply in
            guard let tenure = self.tenures[shard], tenure.epoch == epoch, !tenure.isFrozen else { return }
            guard case .done(let stored) = reply else { return self.refuse(shard) }
            self.decide(shard, stored)
        }
    }

    /// What is stored is a repetition; what is not is appended, also if it is remembered: then the fence tells.
    private func decide(_ shard: ShardID, _ stored: SimulatedStore.Stored) {
        guard var tenure = self.tenures[shard] else { return }
        let known = tenure.inFlight.filter { stored.operations.contains($0.operation) }
        tenure.inFlight.removeAll { stored.operations.contains($0.operation) }
        self.tenures[shard] = tenure
        for command in known { self.acknowledge(command, for: shard, storedAfter: stored.rewinds) }
        if tenure.inFlight.isEmpty { self.goOn(shard) } else { self.append(to: shard) }
    }

    private func append(to shard: ShardID) {
        guard let tenure = self.tenures[shard] else { return }
        let (owner, epoch, head) = (self.owner, tenure.epoch, tenure.log.count)
        let operations = tenure.inFlight.map(\.operation)
        let unique = Set(tenure.inFlight.filter(self.isUnique).map(\.operation))
        self.cluster.request(from: self) {
            $0.append(operations, unique: unique, to: shard, under: epoch, by: owner, at: head)
        } reply: { reply in
            self.settle(shard, under: epoch, reply)
        }
    }

    private func settle(
        _ shard: ShardID, under epoch: Epoch, _ reply: SimulatedCluster.Reply<SimulatedStore.Appended>
    ) {
        guard var tenure = self.tenures[shard], tenure.epoch == epoch, !tenure.isFrozen else { return }
        let batch = tenure.inFlight
        var reply = reply
        if case .unknown = reply, !self.cluster.guards.knownOutcomes {
            reply = .done(.appended(rewinds: self.cluster.store.rewinds))
        }
        switch reply {
        case .done(.appended(let rewinds)):
            tenure.inFlight = []
            tenure.add(batch, by: self.owner)
            self.tenures[shard] = tenure
            self.confirmed[shard]?.head = tenure.head
            for command in batch { self.acknowledge(command, for: shard, storedAfter: rewinds) }
            self.goOn(shard)
        case .refused: self.refuse(shard)
        case .done(.fenced), .done(.conflict), .unknown: self.freeze(shard)
        }
    }

    /// Nothing of what is in flight is done.
    private func refuse(_ shard: ShardID) {
        let batch = self.tenures[shard]?.inFlight ?? []
        self.tenures[shard]?.inFlight = []
        for command in batch { command.answer(.failed) }
        self.goOn(shard)
    }

    private func goOn(_ shard: ShardID) {
        if self.tenures[shard]?.recipient != nil { self.handOver(shard) } else { self.pump(shard) }
    }

    /// A write is acknowledged when nobody reads without it any more.
    private func acknowledge(_ command: Command, for shard: ShardID, storedAfter rewinds: Int) {
        let outcome = Command.Outcome.recorded(rewinds: rewinds)
        guard command.isWrite, let tenure = self.tenures[shard], self.now < tenure.soleFrom else {
            return command.answer(outcome)
        }
        self.after(tenure.soleFrom - self.now) { command.answer(outcome) }
    }
}
