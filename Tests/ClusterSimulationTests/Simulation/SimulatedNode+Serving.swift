import EventSourcing
import Sharding

extension SimulatedNode {
    // MARK: Commands

    func serves(_ tenure: Tenure) -> Bool {
        !tenure.isFrozen && (tenure.recipient == nil || !self.cluster.guards.stopsBeforeGiving)
    }

    /// As the owner.
    func take(_ command: Command, for shard: ShardID) {
        guard let tenure = self.tenures[shard], tenure.recipient == nil else { return command.answer(.notOwner) }
        self.tenures[shard]?.waiting.append(command)
        self.pump(shard)
    }

    func pump(_ shard: ShardID) {
        guard var tenure = self.tenures[shard], !tenure.isFrozen, tenure.recipient == nil, tenure.inFlight.isEmpty
        else { return }
        let guards = self.cluster.guards
        let isUnique = { (command: Command) in
            guards.deduplication && (guards.keptDeduplication || !command.isKept)
        }
        let isKnown = { (command: Command) in isUnique(command) && tenure.operations.contains(command.operation) }
        let known = tenure.waiting.filter(isKnown)
        var batch: [Command] = []
        var later: [Command] = []
        for command in tenure.waiting where !isKnown(command) {
            if batch.count < 4, !batch.contains(where: { $0.operation == command.operation }) {
                batch.append(command)
            } else {
                later.append(command)
            }
        }
        tenure.waiting = later
        tenure.inFlight = batch
        self.tenures[shard] = tenure
        for command in known { self.acknowledge(command, for: shard) }
        guard !batch.isEmpty else { return }
        let (owner, epoch, head) = (self.owner, tenure.epoch, tenure.log.count)
        let (operations, unique) = (batch.map(\.operation), Set(batch.filter(isUnique).map(\.operation)))
        self.cluster.request(from: self) {
            $0.append(operations, unique: unique, to: shard, under: epoch, by: owner, at: head)
        } reply: { reply in
            self.settle(shard, under: epoch, reply)
        }
    }

    func settle(_ shard: ShardID, under epoch: Epoch, _ reply: SimulatedCluster.Reply<SimulatedStore.Appended>) {
        guard var tenure = self.tenures[shard], tenure.epoch == epoch, !tenure.isFrozen else { return }
        let batch = tenure.inFlight
        var reply = reply
        if case .unknown = reply, !self.cluster.guards.knownOutcomes { reply = .done(.appended) }
        switch reply {
        case .done(.appended):
            tenure.inFlight = []
            tenure.add(batch, by: self.owner)
            self.tenures[shard] = tenure
            self.confirmed[shard]?.head = tenure.head
            for command in batch { self.acknowledge(command, for: shard) }
        case .refused:
            self.tenures[shard]?.inFlight = []
            for command in batch { command.answer(.failed) }
        case .done(.fenced), .done(.conflict), .unknown: return self.freeze(shard)
        }
        if tenure.recipient != nil { self.handOver(shard) } else { self.pump(shard) }
    }

    /// A write is acknowledged when nobody reads without it any more.
    func acknowledge(_ command: Command, for shard: ShardID) {
        guard command.isWrite, let tenure = self.tenures[shard], self.now < tenure.soleFrom else {
            return command.answer(.recorded)
        }
        self.after(tenure.soleFrom - self.now) { command.answer(.recorded) }
    }

    // MARK: Reads

    /// The state, as a token that names it; nil when this node must not answer.
    func read(_ shard: ShardID, answer: @escaping (Token?) -> Void) {
        guard let tenure = self.tenures[shard], self.serves(tenure), self.now >= tenure.soleFrom else {
            return answer(nil)
        }
        let (token, turns) = (Token(tenure.log), self.turns[shard])
        // Between the answer and its check anything may happen.
        self.after(self.cluster.computing) { answer(self.mayAnswer(for: shard, since: turns) ? token : nil) }
    }

    private func mayAnswer(for shard: ShardID, since turns: Int?) -> Bool {
        let isHeld = self.lease.allowsAnswer(at: self.now) && self.knowledge.allowsAnswer(at: self.now)
        return (isHeld || !self.cluster.guards.readLease) && self.turns[shard] == turns
    }

    /// - Parameter token: what the answer must not be older than.
    func read(_ shard: ShardID, atLeast token: Token, answer: @escaping (Token?) -> Void) {
        guard let tenure = self.tenures[shard], self.serves(tenure), tenure.log.count >= token.length,
            Token(tenure.log.prefix(token.length)) == token
        else { return answer(nil) }
        answer(Token(tenure.log))
    }

    // MARK: For others

    func serves(_ shard: ShardID, as owner: ShardRecord.Owner?) -> Bool {
        owner == self.owner && self.tenures[shard] != nil
    }

    /// As the last reading had it.
    func ownerKnown(of shard: ShardID) -> NodeID? {
        if self.tenures[shard]?.recipient != nil { return self.tenures[shard]?.recipient?.node }
        if self.tenures[shard] != nil { return self.id }
        guard Int(shard.rawValue) < self.view.shards.count else { return nil }
        return self.view.shards[Int(shard.rawValue)].owner?.node
    }
}
