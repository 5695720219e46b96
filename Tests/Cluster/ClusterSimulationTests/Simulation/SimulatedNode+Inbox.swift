import EventLog
import Ownership

/// What others have kept for the shards of this node. It is read on its own, beside the readings of who owns what, so each
/// may be older than the other.
extension SimulatedNode {
    func drain() {
        // As they are before anything is judged.
        let standings = self.lifecycles.filter(\.value.isServing).compactMapValues(\.stored.standing)
        guard !standings.isEmpty else { return self.drainLater() }
        self.cluster.request(from: self) {
            $0.inbox.rows(of: Set(standings.keys), limit: 8)
        } reply: { reply in
            guard case .done(let rows) = reply, !rows.isEmpty else { return self.drainLater() }
            let removals = rows.compactMap { row in
                standings[row.shard].map { SimulatedStore.Removal(row: row, standing: $0) }
            }
            guard self.cluster.guards.removesOnlyStored else {
                for row in rows { self.apply(row) { _ in } }
                return self.remove(removals)
            }
            self.applyAndRemove(removals)
        }
    }

    private func drainLater() { self.after(self.terms.readingInterval) { self.drain() } }

    /// Waits for all of them.
    private func applyAndRemove(_ removals: [SimulatedStore.Removal]) {
        let life = self.life
        var (applied, unanswered) = ([SimulatedStore.Removal](), removals.count)
        for removal in removals {
            self.apply(removal.row) { outcome in
                if case .recorded = outcome { applied.append(self.raised(removal)) }
                unanswered -= 1
                if unanswered == 0 { self.deliver(to: life) { [applied] in self.remove(applied) } }
            }
        }
    }

    private func apply(_ row: SimulatedInbox.Row, answer: @escaping (Command.Outcome) -> Void) {
        self.take(Command(operation: row.operation, isKept: true, answer: answer), for: row.shard)
    }

    /// The answer goes by the log as it is now.
    private func raised(_ removal: SimulatedStore.Removal) -> SimulatedStore.Removal {
        var removal = removal
        removal.standing.head = max(removal.standing.head, self.work[removal.row.shard]?.head ?? .zero)
        return removal
    }

    /// Whatever becomes of that: a row that is there still is applied once more.
    private func remove(_ removals: [SimulatedStore.Removal]) {
        guard !removals.isEmpty else { return self.drainLater() }
        self.cluster.request(from: self) {
            $0.remove(removals)
        } reply: { reply in
            if case .done(let refused) = reply {
                for removal in removals where refused.contains(removal.row.shard) {
                    self.freeze(removal.row.shard, under: removal.standing.epoch)
                }
            }
            self.drainLater()
        }
    }
}
