import EventSourcing
import Sharding

/// What others have kept for the shards of this node. It is read on its own, beside the readings of who owns what, so each
/// may be older than the other.
extension SimulatedNode {
    func drain() {
        let shards = Set(self.tenures.filter { $0.value.recipient == nil && !$0.value.isFrozen }.keys)
        guard !shards.isEmpty else { return self.drainLater() }
        self.cluster.request(from: self) {
            $0.inbox.rows(of: shards, limit: 8)
        } reply: { reply in
            guard case .done(let rows) = reply, !rows.isEmpty else { return self.drainLater() }
            guard self.cluster.guards.removesOnlyStored else {
                for row in rows { self.apply(row) { _ in } }
                return self.remove(rows)
            }
            self.applyAndRemove(rows)
        }
    }

    private func drainLater() { self.after(self.terms.readingInterval) { self.drain() } }

    /// Waits for all of them.
    private func applyAndRemove(_ rows: [SimulatedInbox.Row]) {
        let life = self.life
        var (applied, unanswered) = ([SimulatedInbox.Row](), rows.count)
        for row in rows {
            self.apply(row) { outcome in
                if outcome == .recorded { applied.append(row) }
                unanswered -= 1
                if unanswered == 0 { self.deliver(to: life) { [applied] in self.remove(applied) } }
            }
        }
    }

    private func apply(_ row: SimulatedInbox.Row, answer: @escaping (Command.Outcome) -> Void) {
        self.take(Command(operation: row.operation, isKept: true, answer: answer), for: row.shard)
    }

    /// Whatever becomes of that: a row that is there still is applied once more.
    private func remove(_ rows: [SimulatedInbox.Row]) {
        guard !rows.isEmpty else { return self.drainLater() }
        self.cluster.request(from: self) {
            $0.inbox.remove(rows.map(\.operation))
        } reply: { _ in
            self.drainLater()
        }
    }
}
