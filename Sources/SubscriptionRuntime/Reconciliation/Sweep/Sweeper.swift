import AppStore
import EventSourcing
import Subscriptions

/// Compares the subscriptions of this node's shards with Apple's answers, one after the other and slowly: the last net
/// under everything else. Those that ended long ago are left out.
struct Sweeper: Sendable {
    /// A subscription that ended before may be bought again, of which Apple tells; billing retry ends after 60 days.
    private static let memory = Milliseconds.days(90)
    /// A walk does not begin before this time has passed since the last one began.
    private static let shortestWalk = Duration.seconds(60)
    /// Where nothing is owned yet.
    private static let shortestWait = Duration.seconds(1)

    /// Before each question.
    let pause: Duration
    let accounts: AccountDirectory
    let node: ShardNode
    let inspector: StreamInspector
    let comparison: StatusComparison
    let tally: ReconciliationTally
    let troubles: AccountTroubles
    let rules: DerivationRules
    let clock: any WallClock

    /// Until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let shards = self.node.parts.filter { $0.isOurs && $0.gate.isServing }.map(\.shard)
            if !shards.isEmpty { await self.walk(shards) }
            try? await Task.sleep(until: start + (shards.isEmpty ? Self.shortestWait : Self.shortestWalk))
        }
    }

    private func walk(_ shards: [ShardID]) async {
        var sweep = ReconciliationReport.Sweep(started: self.clock.now)
        self.tally.set(sweep)
        do {
            var walk = SubscriptionWalk(of: shards, in: self.node.store)
            while let key = try await walk.next() {
                guard self.node.parts(of: key).isOurs, let client = self.accounts.client(of: key) else { continue }
                try await Task.sleep(for: self.pause)
                guard let progress = await self.compare(key, with: client, urgency: .sweep) else { continue }
                sweep.checked += progress.checked
                sweep.repaired += progress.repaired
                self.tally.set(sweep)
            }
            sweep.ended = self.clock.now
            self.tally.set(sweep)
        } catch {
            // The store is away, or the node stops: the next walk begins anew.
        }
    }

    /// Compares every subscription of these shards now, side by side.
    func compareAll(
        _ shards: [ShardID], onProgress: @escaping @Sendable (ReconciliationProgress) -> Void
    ) async throws(ServiceError) {
        let width = 8
        try await ServiceError.translating {
            try await withThrowingTaskGroup(of: Void.self) { group in
                var walk = SubscriptionWalk(of: shards, in: self.node.store)
                var underWay = 0
                while let key = try await walk.next() {
                    guard let client = self.accounts.client(of: key) else { continue }
                    if underWay == width {
                        try await group.next()
                        underWay -= 1
                    }
                    group.addTask {
                        if let progress = await self.compare(key, with: client, urgency: .sweep) {
                            onProgress(progress)
                        }
                        try Task.checkCancellation()
                    }
                    underWay += 1
                }
                try await group.waitForAll()
            }
        }
    }

    /// nil where there is nothing to ask, and where Apple gave no answer.
    private func compare(
        _ key: StreamKey, with client: ServerAPIClient, urgency: RequestUrgency
    ) async -> ReconciliationProgress? {
        do {
            guard try await self.isWorthAsking(key) else { return nil }
            let progress = try await self.comparison.compare(key, with: client, for: .sweep, urgency: urgency).progress
            self.troubles.end(of: client.account)
            return progress
        } catch {
            self.troubles.note(error, of: client.account)
            return nil
        }
    }

    private func isWorthAsking(_ key: StreamKey) async throws -> Bool {
        let now = self.clock.now
        guard let snapshot = try await self.inspector.state(of: key)?.snapshot(at: now, rules: self.rules) else {
            return false
        }
        return snapshot.entitled || snapshot.state == .retry
            || snapshot.expiresDate.map { now - Self.memory < $0 } ?? true
    }
}
