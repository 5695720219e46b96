import EventLog

extension SimulatedCluster {
    enum Knock { case refused, accepted, unanswered }

    /// Nobody listens at its address, for a while at least, though the node may live.
    func refuseConnections(to node: SimulatedNode, for duration: Duration) {
        self.refusing.insert(node.id)
        self.after(duration) { self.refusing.remove(node.id) }
    }

    func refusesConnections(_ node: SimulatedNode) -> Bool {
        guard node.isRunning else { return true }
        guard self.refusing.contains(node.id) else { return false }
        self.note(.refusal)
        return true
    }

    /// A process that is stopped is connected to all the same; who is cut off, or loses a message, hears nothing.
    func knock(at other: NodeID, from node: SimulatedNode, reply: @escaping (Knock) -> Void) {
        let life = node.currentLife
        var isOver = false
        func end(_ knock: Knock) {
            guard !isOver else { return }
            isOver = true
            node.deliver(to: life) { reply(knock) }
        }
        self.after(.milliseconds(200)) { end(.unanswered) }
        guard let peer = self.nodes.first(where: { $0.id == other }), !self.isCut(from: node.id, to: other),
            !self.isCut(from: other, to: node.id), !self.isLost()
        else { return }
        self.after(self.delay(rarely: 300)) { end(self.refusesConnections(peer) ? .refused : .accepted) }
    }

    /// A node is taken for dead because it refuses connections. A store that has lost commits may lack its last beats.
    func hasDeposed(_ gone: NodeStatus) {
        guard let node = self.nodes.first(where: { $0.owner == gone.owner }), node.isRunning, !self.history.isBlind
        else { return }
        if node.hasJustBeaten { self.history.violate("a node that beats is deposed for refusing connections") }
    }
}
