import EventLog
import Ownership
import PerennialTestSupport

extension SimulatedNode {
    /// As the owner.
    func take(_ command: Command, for shard: ShardID) {
        guard self.work[shard] != nil, self.lifecycles[shard]?.stored.phase != .draining else {
            return command.answer(.notOwner)
        }
        self.work[shard]?.waiting.append(command)
        self.pump(shard)
    }

    func pump(_ shard: ShardID) {
        guard let stored = self.lifecycles[shard]?.stored, stored.phase == .serving, let epoch = stored.epoch,
            var work = self.work[shard], work.inFlight.isEmpty, !work.waiting.isEmpty
        else { return }
        work.beginBatch()
        self.work[shard] = work
        let remembered = work.inFlight.filter { self.isUnique($0) && work.operations.contains($0.operation) }
        guard !remembered.isEmpty else { return self.append(to: shard) }
        self.lookUp(Set(remembered.map(\.operation)), in: shard, under: epoch)
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
            guard self.isAtWork(shard, under: epoch) else { return }
            guard case .done(let stored) = reply else { return self.refuse(shard) }
            self.decide(shard, stored)
        }
    }

    /// What was begun under this epoch has neither been given up nor begun anew.
    private func isAtWork(_ shard: ShardID, under epoch: Epoch) -> Bool {
        self.lifecycles[shard].map { $0.isServing && $0.stored.epoch == epoch } ?? false
    }

    /// What is stored is a repetition; what is not is appended, also if it is remembered: then the fence tells.
    private func decide(_ shard: ShardID, _ stored: SimulatedStore.Stored) {
        guard var work = self.work[shard] else { return }
        let known = work.inFlight.filter { stored.operations.contains($0.operation) }
        work.inFlight.removeAll { stored.operations.contains($0.operation) }
        self.work[shard] = work
        for command in known { self.acknowledge(command, for: shard, storedAfter: stored.rewinds) }
        if work.inFlight.isEmpty { self.goOn(shard) } else { self.append(to: shard) }
    }

    private func append(to shard: ShardID) {
        guard let epoch = self.lifecycles[shard]?.stored.epoch, let work = self.work[shard] else { return }
        let (owner, head) = (self.owner, work.log.count)
        let operations = work.inFlight.map(\.operation)
        let unique = Set(work.inFlight.filter(self.isUnique).map(\.operation))
        self.cluster.request(from: self) {
            $0.append(operations, unique: unique, to: shard, under: epoch, by: owner, at: head)
        } reply: { reply in
            self.settle(shard, under: epoch, reply)
        }
    }

    private func settle(
        _ shard: ShardID, under epoch: Epoch, _ reply: SimulatedCluster.Reply<SimulatedStore.Appended>
    ) {
        guard self.isAtWork(shard, under: epoch), var work = self.work[shard] else { return }
        let batch = work.inFlight
        var reply = reply
        if case .unknown = reply, !self.cluster.guards.knownOutcomes {
            reply = .done(.appended(rewinds: self.cluster.store.rewinds))
        }
        switch reply {
        case .done(.appended(let rewinds)):
            work.inFlight = []
            work.add(batch, under: epoch, by: self.owner)
            self.work[shard] = work
            self.lifecycles[shard]?.takeAndApply(.stored(.appended(head: work.head, under: epoch)))
            for command in batch { self.acknowledge(command, for: shard, storedAfter: rewinds) }
            self.goOn(shard)
        case .refused: self.refuse(shard)
        case .done(.fenced), .done(.conflict), .unknown: self.freeze(shard, under: epoch)
        }
    }

    /// Nothing of what is in flight is done.
    private func refuse(_ shard: ShardID) {
        let batch = self.work[shard]?.inFlight ?? []
        self.work[shard]?.inFlight = []
        for command in batch { command.answer(.failed) }
        self.goOn(shard)
    }

    private func goOn(_ shard: ShardID) {
        if self.lifecycles[shard]?.stored.phase == .draining { self.handOver(shard) } else { self.pump(shard) }
    }

    /// A write is acknowledged when nobody reads without it any more.
    private func acknowledge(_ command: Command, for shard: ShardID, storedAfter rewinds: Int) {
        let outcome = Command.Outcome.recorded(rewinds: rewinds)
        let wait = self.lifecycles[shard]?.wait(at: self.now) ?? .zero
        guard command.isWrite, wait > .zero else { return command.answer(outcome) }
        self.after(wait) { command.answer(outcome) }
    }
}
