import EventLog

extension SimulatedCluster {
    /// Somebody wants another node to own a shard: one that owns it already, or is gone, or goes meanwhile.
    func move() {
        guard self.now < self.configuration.length else { return }
        let shard = ShardID(rawValue: UInt16.random(in: 0..<UInt16(self.configuration.shards), using: &self.random))
        let target = self.nodes.randomElement(using: &self.random)!.id
        self.move(shard, to: target, through: self.nodes.randomElement(using: &self.random)!)
        self.after(self.random.duration(100...1_500)) { self.move() }
    }

    private func move(_ shard: ShardID, to target: NodeID, through node: SimulatedNode) {
        guard node.isRunning else { return }
        let asked = self.store.namedOwners(of: shard).count
        let isMade = { self.history.move(shard, to: target, self.store.namedOwners(of: shard), since: asked) }
        node.deliver(to: node.currentLife) {
            self.request(from: node) {
                $0.view
            } reply: { reply in
                guard case .done(let view) = reply, let next = view.living.first(where: { $0.node == target }) else {
                    return
                }
                if view.shards[Int(shard.rawValue)].owner == next { return isMade() }
                self.askOwner(of: shard, toMoveTo: target, through: node, attempts: 5, isMade)
            }
        }
    }

    private func askOwner(
        of shard: ShardID, toMoveTo target: NodeID, through node: SimulatedNode, attempts: Int,
        _ isMade: @escaping () -> Void
    ) {
        guard attempts > 0 else { return }
        self.toOwner(of: shard, through: node) { owner, answer in
            owner.ask(AskedMove(shard: shard, target: target, answer: answer))
        } reply: { (outcome: AskedMove.Outcome) in
            switch outcome {
            case .made: isMade()
            case .notOwner:
                node.after(.milliseconds(50)) {
                    self.askOwner(of: shard, toMoveTo: target, through: node, attempts: attempts - 1, isMade)
                }
            case .refused: break
            }
        } failure: {
        }
    }
}
