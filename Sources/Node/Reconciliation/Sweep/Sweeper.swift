import AppStore
import EventLog
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Compares the subscriptions of this node's shards with Apple's answers, one after the other and slowly: the last net
/// under everything else. Those that ended long ago are left out.
struct Sweeper: Sendable {
    /// A subscription that ended before may be bought again, of which Apple tells; billing retry ends after 60 days.
    private static let memory = Milliseconds.days(90)
    /// A walk does not begin before this time has passed since the last one began.
    private static let shortestWalk = Duration.seconds(60)
    /// Where nothing is owned yet.
    private static let shortestWait = Duration.seconds(1)
    /// After so long a comparison on request says how far it is.
    private static let turn = Duration.seconds(2)
    /// Subscriptions of one shard that are then asked about side by side; several shards are.
    private static let width = 2

    /// Before each question.
    let pause: Duration
    let accounts: AccountDirectory
    let router: ShardRouter
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
            let shards = self.router.parts.filter { $0.isOurs && $0.status.isServing }.map(\.shard)
            if !shards.isEmpty { await self.walk(shards) }
            try? await Task.sleep(until: start + (shards.isEmpty ? Self.shortestWait : Self.shortestWalk))
        }
    }

    private func walk(_ shards: [ShardID]) async {
        var sweep = ReconciliationReport.Sweep(started: self.clock.now)
        self.tally.set(sweep)
        do {
            var walk = SubscriptionWalk(of: shards, in: self.router.store)
            while let key = try await walk.next() {
                guard self.router.parts(of: key).isOurs, let client = self.accounts.client(of: key) else { continue }
                try await Task.sleep(for: self.pause)
                guard let progress = try? await self.compare(key, with: client) else { continue }
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

    /// Compares subscriptions of a shard now, until its end, until a turn is over, or until another node owns it.
    /// - Throws: `.notOwner` when another node owns it already; whatever keeps answers from being recorded. What was
    ///   recorded before stays.
    func compare(
        _ comparison: ShardComparison, of shard: ShardID
    ) async throws(ServiceError) -> ShardComparisonResult {
        let parts = self.router.parts[Int(shard.rawValue)]
        guard parts.isOurs, parts.status.isServing else {
            throw ServiceError(.notOwner, "another node owns shard \(shard.rawValue)")
        }
        let end = ContinuousClock.now + Self.turn
        return try await ServiceError.translating {
            try await withThrowingTaskGroup(of: ReconciliationProgress?.self) { group in
                var walk = SubscriptionWalk(of: [shard], after: comparison.after, in: self.router.store)
                var result = ShardComparisonResult(last: comparison.after)
                var underWay = 0
                repeat {
                    try Task.checkCancellation()
                    guard let key = try await walk.next() else {
                        result.last = nil
                        break
                    }
                    result.last = key.bytes
                    guard let client = self.accounts.client(of: key) else { continue }
                    group.addTask { try await self.compare(key, with: client) }
                    underWay += 1
                    if underWay == Self.width {
                        if let progress = try await group.next() ?? nil { result.progress += progress }
                        underWay -= 1
                    }
                } while parts.isOurs && parts.status.isServing && .now < end
                for try await progress in group { if let progress { result.progress += progress } }
                try Task.checkCancellation()
                return result
            }
        }
    }

    /// nil where there is nothing to ask, and where Apple gave no answer.
    /// - Throws: what keeps the answer from being recorded.
    private func compare(_ key: StreamKey, with client: ServerAPIClient) async throws -> ReconciliationProgress? {
        do {
            guard try await self.isWorthAsking(key) else { return nil }
            let progress = try await self.comparison.compare(key, with: client, for: .sweep, urgency: .sweep).progress
            self.troubles.end(of: client.account)
            return progress
        } catch {
            guard self.troubles.note(error, of: client.account) else { throw error }
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
