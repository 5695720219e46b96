import EventLog
import Ownership

extension SimulatedNode {
    private static let knockInterval = Duration.milliseconds(250)

    /// The connection to it was lost: it is knocked at until there is one again.
    func suspect(_ node: NodeID) {
        guard node != self.id, self.knockedAt.insert(node).inserted else { return }
        self.knock(at: node)
    }

    private func knock(at node: NodeID) {
        // As the last reading had it.
        guard let run = self.view.nodes.first(where: { $0.id == node && $0.life == .live })?.owner else {
            self.knockedAt.remove(node)
            return
        }
        self.cluster.knock(at: node, from: self) { knock in
            switch knock {
            case .refused: self.hints.noteRefusal(by: run, at: self.now)
            case .unanswered: self.hints.withdraw(run)
            case .accepted:
                self.hints.withdraw(run)
                self.knockedAt.remove(node)
                return
            }
            self.after(Self.knockInterval) { self.knock(at: node) }
        }
    }

    /// Those whose processes are gone, as it seems.
    func gone(by plan: OwnershipPlan) -> [NodeStatus] {
        guard !self.cluster.guards.hintsNeedSilence else { return plan.gone }
        return self.view.nodes.filter { node in
            node.life == .live && node.id != self.id && self.hints.refusedSince(node.owner, at: self.now) != nil
        }
    }

    func depose(gone node: NodeStatus) {
        self.cluster.request(from: self) { [cluster] store in
            let wasLiving = store.nodes[node.id]?.run == node.run
            store.depose(node)
            if wasLiving, store.nodes[node.id]?.life == .deposed { cluster.hasDeposed(node) }
        } reply: { _ in
        }
    }

    /// Less than a second ago, as the store has told it.
    var hasJustBeaten: Bool {
        self.lease.remaining(at: self.now) > self.terms.reads - self.terms.beatInterval * 0.95
    }
}
