import Entitlements
import EventSourcing
import Subscriptions
import Synchronization

/// How many of a shard's subscriptions are in each state: counted once after the start, page by page, and kept up to
/// date by commits. A stream that the count has not reached yet is left to it.
final class ShardCensus: Sendable {
    private enum Progress {
        case notBegun
        case upTo([UInt8])
        case done

        func covers(_ key: [UInt8]) -> Bool {
            switch self {
            case .notBegun: false
            case .upTo(let last): !last.lexicographicallyPrecedes(key)
            case .done: true
            }
        }
    }

    private let rules: DerivationRules
    private let metrics: RuntimeMetrics
    private let progress = Mutex(Progress.notBegun)

    init(rules: DerivationRules, metrics: RuntimeMetrics) {
        self.rules = rules
        self.metrics = metrics
    }

    /// Counts every subscription of the shard.
    func count(_ shard: ShardID, in store: any EventStore, clock: any WallClock) async throws {
        let page = 1_000
        var last: [UInt8]?
        while true {
            let rows = try await store.streams(in: shard, after: last, limit: page)
            let now = clock.now
            for row in rows {
                guard let key = StreamKey(bytes: row.key), key.kind == .subscription else { continue }
                let due = row.nextDue.map(Moment.init(milliseconds:)) ?? .distantFuture
                let moment = min(now, due - Milliseconds(rawValue: 1))
                let entitlement = try EntitlementRow(decoding: row.entitlement)
                self.metrics.count(entitlement.answer(at: moment).state, of: key, by: 1)
            }
            guard rows.count == page, let end = rows.last?.key else { break }
            last = end
            self.progress.withLock { $0 = .upTo(end) }
        }
        self.progress.withLock { $0 = .done }
    }

    /// A durable commit changed a stream.
    func record(_ change: Commit.Change, at now: Moment) {
        guard change.key.kind == .subscription, self.progress.withLock({ $0.covers(change.row.key) }) else { return }
        let before = change.before.countedState(at: now, rules: self.rules)
        let after = change.after.countedState(at: now, rules: self.rules)
        guard before != after else { return }
        self.metrics.count(before, of: change.key, by: -1)
        self.metrics.count(after, of: change.key, by: 1)
    }
}
