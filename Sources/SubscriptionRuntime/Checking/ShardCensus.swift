import Entitlements
import EventSourcing
import Subscriptions
import Synchronization

/// How many of a shard's subscriptions are in each state: counted once when the shard is owned, page by page, and kept up
/// to date by commits. A stream that the count has not reached yet is left to it.
final class ShardCensus: Sendable {
    private enum Progress {
        case notBegun, begun
        case upTo([UInt8])
        case done

        func covers(_ key: [UInt8]) -> Bool {
            switch self {
            case .notBegun, .begun: false
            case .upTo(let last): !last.lexicographicallyPrecedes(key)
            case .done: true
            }
        }
    }

    private struct State {
        var progress = Progress.notBegun
        /// What this shard has added to the gauges.
        var tally: [RuntimeMetrics.SubscriptionsLabels: Int] = [:]
        /// Raised when the shard is let go: a count that is under way ends.
        var generation = 0
    }

    private let rules: DerivationRules
    private let metrics: RuntimeMetrics
    private let state = Mutex(State())

    init(rules: DerivationRules, metrics: RuntimeMetrics) {
        self.rules = rules
        self.metrics = metrics
    }

    /// Nobody has begun to count.
    var isOpen: Bool {
        self.state.withLock { state in
            if case .notBegun = state.progress { true } else { false }
        }
    }

    /// Counts every subscription of the shard.
    func count(_ shard: ShardID, in store: any EventStore, clock: any WallClock) async throws {
        let generation = self.state.withLock { state in
            state.progress = .begun
            return state.generation
        }
        let page = 1_000
        var last: [UInt8]?
        while true {
            let rows = try await store.streams(in: shard, after: last, limit: page)
            let labels = try self.labels(of: rows, at: clock.now)
            last = rows.last?.key
            let progress = rows.count == page ? last.map(Progress.upTo) ?? .done : .done
            let isCurrent = self.state.withLock { state in
                guard state.generation == generation else { return false }
                for label in labels { self.add(1, to: label, in: &state) }
                state.progress = progress
                return true
            }
            guard isCurrent, rows.count == page else { return }
        }
    }

    private func labels(of rows: [StreamRow], at now: Moment) throws -> [RuntimeMetrics.SubscriptionsLabels] {
        try rows.compactMap { row in
            guard let key = StreamKey(bytes: row.key), key.kind == .subscription else { return nil }
            let due = row.nextDue.map(Moment.init(milliseconds:)) ?? .distantFuture
            let moment = min(now, due - Milliseconds(rawValue: 1))
            let state = try EntitlementRow(decoding: row.entitlement).answer(at: moment).state
            return RuntimeMetrics.SubscriptionsLabels(state, of: key)
        }
    }

    /// A durable commit changed a stream.
    func record(_ change: Commit.Change, at now: Moment) {
        guard change.key.kind == .subscription, self.state.withLock({ $0.progress.covers(change.row.key) }) else {
            return
        }
        let before = change.before.countedState(at: now, rules: self.rules)
        let after = change.after.countedState(at: now, rules: self.rules)
        guard before != after else { return }
        self.state.withLock { state in
            if let label = RuntimeMetrics.SubscriptionsLabels(before, of: change.key) {
                self.add(-1, to: label, in: &state)
            }
            if let label = RuntimeMetrics.SubscriptionsLabels(after, of: change.key) {
                self.add(1, to: label, in: &state)
            }
        }
    }

    /// The shard is another node's: what was counted here is counted there.
    func forget() {
        self.state.withLock { state in
            for (label, count) in state.tally { self.metrics.count(label, by: -count) }
            state = State(generation: state.generation + 1)
        }
    }

    private func add(_ change: Int, to label: RuntimeMetrics.SubscriptionsLabels, in state: inout State) {
        state.tally[label, default: 0] += change
        self.metrics.count(label, by: change)
    }
}
