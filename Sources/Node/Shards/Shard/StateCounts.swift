import Entitlements
import EventLog
import Subscriptions
import Synchronization

/// How many of a shard's subscriptions are in each state: counted once when the shard is owned, page by page, and kept up
/// to date by commits.
final class StateCounts: Sendable {
    private typealias Labels = RuntimeMetrics.SubscriptionsLabels

    private static let page = 1_000

    private let rules: DerivationRules
    private let fingerprint: RulesFingerprint
    private let metrics: RuntimeMetrics
    private let machine = Mutex(StateCountMachine<Labels>())

    init(rules: DerivationRules, metrics: RuntimeMetrics) {
        self.rules = rules
        self.fingerprint = RulesFingerprint(rules)
        self.metrics = metrics
    }

    /// Counts every subscription of the shard, unless that has been done or is under way. What a count has added is taken
    /// back when it fails.
    func count(_ shard: ShardID, in store: any EventStore, clock: any WallClock) async throws {
        guard let run = self.machine.withLock({ $0.begin() }) else { return }
        do {
            var last: [UInt8]?
            repeat {
                let rows = try await store.streams(in: shard, after: last, limit: Self.page)
                let labels = try self.labels(of: rows, at: clock.now)
                let newest = rows.map(\.sequence).max() ?? .zero
                let end = rows.count == Self.page ? rows.last?.key : nil
                let added = self.machine.withLock { $0.add(labels, upTo: end, newest: newest, in: run) }
                guard let added else { return }
                self.move(by: added)
                last = end
            } while last != nil
        } catch {
            self.move(by: self.machine.withLock { $0.abandon(run) })
            throw error
        }
    }

    private func labels(of rows: [StreamRow], at now: Moment) throws -> [Labels] {
        try rows.compactMap { row in
            guard let key = StreamKey(bytes: row.key), key.kind == .subscription else { return nil }
            let due = row.nextDue.map(Moment.init(milliseconds:)) ?? .distantFuture
            let moment = min(now, due - Milliseconds(rawValue: 1))
            let state = try EntitlementRow(decoding: row.entitlement).answer(at: moment).state
            return Labels(state, of: key)
        }
    }

    /// Commits of the shard, each in its turn.
    /// - Parameter head: the shard's last event before it.
    func record(_ commit: Commit, after head: LogSequence) {
        guard self.machine.withLock({ $0.hasBegun }) else { return }
        let changes = commit.changes.values.filter { $0.key.kind == .subscription }.map { change in
            StateCountMachine<Labels>.Change(
                key: change.row.key, sequence: change.row.sequence,
                from: self.labels(of: change.before, change.key, at: commit.at),
                to: self.labels(of: change.after, change.key, at: commit.at))
        }
        self.move(by: self.machine.withLock { $0.record(changes, after: head) })
    }

    private func labels(of entry: StreamEntry, _ key: StreamKey, at moment: Moment) -> Labels? {
        Labels(entry.countedState(at: moment, rules: self.rules, self.fingerprint), of: key)
    }

    /// The shard is another node's, and counted there; or nobody knows any more what has become of its commits.
    func forget() { self.move(by: self.machine.withLock { $0.forget() }) }

    private func move(by deltas: [Labels: Int]) {
        for (label, change) in deltas { self.metrics.count(label, by: change) }
    }
}
