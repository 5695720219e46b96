import EventLog

extension SimulatedCluster {
    // MARK: The store

    /// Sends a statement, and brings the answer back, unless either is lost on the way.
    func request<Value>(
        from node: SimulatedNode, _ statement: @escaping (inout SimulatedStore) -> Value,
        reply: @escaping (Reply<Value>) -> Void
    ) {
        let life = node.currentLife
        var isAnswered = false
        func answer(_ value: Reply<Value>) {
            guard !isAnswered else { return }
            isAnswered = true
            node.deliver(to: life) { reply(value) }
        }
        self.after(.milliseconds(1_500)) { answer(.unknown) }
        guard !self.isLost(), !self.isCutFromStore(node) else { return }
        self.after(self.delay(rarely: 4_000)) {
            guard self.isStoreUp else {
                self.note(.storeOutage)
                return self.after(.milliseconds(1)) { answer(.refused) }
            }
            let value = statement(&self.store)
            guard !self.isLost(), !self.isCutFromStore(node) else { return }
            self.after(self.delay(rarely: 1_200)) { answer(.done(value)) }
        }
    }

    func isLost() -> Bool {
        guard self.happens(self.loss) else { return false }
        self.note(.lostMessage)
        return true
    }

    private func isCutFromStore(_ node: SimulatedNode) -> Bool {
        guard self.cutFromStore.contains(node.id) else { return false }
        self.note(.cutFromStore)
        return true
    }

    func happens(_ probability: Double) -> Bool { !self.isCalm && self.random.chance(probability) }

    func delay(rarely most: Int) -> Duration {
        guard self.happens(0.02) else { return self.random.duration(1...6) }
        self.note(.lateMessage)
        return self.random.duration(0...most)
    }

    /// A node is about to be taken for dead because it was silent for its lease.
    func willDepose() {
        guard self.now - self.storeUpSince < self.lease * 0.9 else { return }
        self.history.violate("a node is deposed for a silence that was the store's")
    }

    // MARK: Calls between nodes

    enum CallFailure { case refused, timeout }

    struct Way: Hashable {
        var from: NodeID
        var to: NodeID
    }

    func isCut(from node: NodeID, to other: NodeID) -> Bool {
        guard self.cutWays.contains(Way(from: node, to: other)) else { return false }
        self.note(self.cutWays.contains(Way(from: other, to: node)) ? .cut : .oneWayCut)
        return true
    }

    /// Runs `body` at the other node, which may be given an answer.
    func call<Value>(
        _ other: NodeID, from node: SimulatedNode, _ body: @escaping (SimulatedNode, @escaping (Value) -> Void) -> Void,
        reply: @escaping (Value) -> Void, failure: @escaping (CallFailure) -> Void
    ) {
        guard other != node.id else { return body(node, reply) }
        guard let peer = self.nodes.first(where: { $0.id == other }) else { return failure(.refused) }
        let life = node.currentLife
        var isOver = false
        func end(_ body: @escaping () -> Void) {
            guard !isOver else { return }
            isOver = true
            node.deliver(to: life, body)
        }
        self.after(.milliseconds(600)) { end { failure(.timeout) } }
        guard !self.isCut(from: node.id, to: other), !self.isLost() else { return }
        self.after(self.delay(rarely: 300)) {
            guard !self.refusesConnections(peer) else { return end { failure(.refused) } }
            // Now and then somebody else listens there for a while.
            if self.happens(0.02) {
                self.note(.stranger)
                return end { failure(.refused) }
            }
            peer.deliver(to: peer.currentLife) {
                body(peer) { value in
                    guard !self.isCut(from: other, to: node.id), !self.isLost() else { return }
                    self.after(self.delay(rarely: 300)) { end { reply(value) } }
                }
            }
        }
    }

    func toOwner<Value>(
        of shard: ShardID, through node: SimulatedNode,
        _ body: @escaping (SimulatedNode, @escaping (Value) -> Void) -> Void, reply: @escaping (Value) -> Void,
        failure: @escaping () -> Void
    ) {
        guard let owner = node.ownerKnown(of: shard) else { return failure() }
        self.call(owner, from: node, body, reply: reply) { reason in
            if reason == .refused { node.suspect(owner) }
            failure()
        }
    }
}
