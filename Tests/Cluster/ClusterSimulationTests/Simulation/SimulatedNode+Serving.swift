import EventLog
import Ownership

extension SimulatedNode {
    // MARK: Reads

    /// nil when this node must not answer.
    func read(_ shard: ShardID, answer: @escaping (Answer?) -> Void) {
        guard let lifecycle = self.lifecycles[shard], lifecycle.mayAnswer(at: self.now), let work = self.work[shard]
        else { return answer(nil) }
        let (computed, turns) = (Answer(log: work.log), self.turns[shard])
        // Between the answer and its check anything may happen.
        self.after(self.cluster.computing) { answer(self.mayAnswer(for: shard, since: turns) ? computed : nil) }
    }

    private func mayAnswer(for shard: ShardID, since turns: Int?) -> Bool {
        let isHeld = self.lease.allowsAnswer(at: self.now) && self.knowledge.allowsAnswer(at: self.now)
        return (isHeld || !self.cluster.guards.readLease) && self.turns[shard] == turns
    }

    /// - Parameter token: what the answer must not be older than.
    func read(_ shard: ShardID, atLeast token: Token, answer: @escaping (Answer?) -> Void) {
        guard let lifecycle = self.lifecycles[shard], lifecycle.isServing, let work = self.work[shard],
            self.holds(token, work.log)
        else { return answer(nil) }
        answer(Answer(log: work.log))
    }

    private func holds(_ token: Token, _ log: [SimulatedStore.Entry]) -> Bool {
        guard self.cluster.guards.answersAtLeast else { return true }
        guard log.count >= token.length else { return false }
        return Token(log.prefix(token.length)) == token || !self.cluster.guards.tokensNameTheirWriter
    }

    // MARK: For others

    func serves(_ shard: ShardID, as owner: ShardRecord.Owner?) -> Bool {
        owner == self.owner && self.work[shard] != nil
    }

    /// As the last reading had it.
    func ownerKnown(of shard: ShardID) -> NodeID? {
        if let work = self.work[shard] { return work.gift?.recipient.node ?? self.id }
        guard Int(shard.rawValue) < self.view.shards.count else { return nil }
        return self.view.shards[Int(shard.rawValue)].owner?.node
    }
}
