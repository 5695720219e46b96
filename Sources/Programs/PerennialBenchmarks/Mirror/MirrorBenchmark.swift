import Entitlements
import EventLog
import Foundation
import Mirroring
import Ownership
import Subscriptions

/// Checks in process on a mirror, by one thread, of ids in random order that arrive as text.
struct MirrorBenchmark: Benchmark {
    static let name = "mirror"
    static let abstract = "checks a second on a mirror of 1,000,000 and of 5,000,000, its memory, how fast it is filled"

    private static let million = 1_000_000
    private static let batch = 1_000
    private static let rounds = 7

    func run(in workspace: Workspace) async throws -> [Figure] {
        let million = try await Supplies.onItsOwnThread { try Self.measureMillion(workspace) }
        workspace.say("  5,000,000 subscriptions")
        let fiveMillion = try await Supplies.onItsOwnThread { try Self.measureFiveMillion() }
        return million + fiveMillion
    }

    private static func measureMillion(_ workspace: Workspace) throws -> [Figure] {
        let filled = try FilledMirror(count: self.million)
        let ids = AskedIDs(count: self.million, of: self.million)
        let dictionary = filled.dictionary()
        let bare = Self.rate(ids) { ids in
            var sum: Int64 = 0
            for id in ids.texts { sum &+= dictionary[id] ?? 0 }
            return sum
        }
        let batched = Self.rate(ids) { filled.askInBatches($0, of: self.batch) }
        let single = Self.rate(ids, filled.askOneByOne)
        let redis = try RedisBaseline.rate(keys: self.million)
        if redis == nil { workspace.say("  There is no Redis to compare with.") }
        return [
            Figure("1,000,000 rows taken over by a mirror", filled.took.seconds, "s", goal: .valueAtMost(5)),
            Figure(
                "bytes of a mirrored subscription", filled.bytesPerSubscription, "bytes", goal: .valueAtMost(120)),
            Figure(
                "batched checks on a mirror, of a dictionary's look-ups", batched, "1/s", baseline: bare,
                goal: .valueAtLeast(5_000_000)),
            Figure(
                "single checks on a mirror, of a dictionary's look-ups", single, "1/s", baseline: bare,
                goal: .valueAtLeast(3_000_000)),
        ]
            + (redis.map { [Figure("single checks on a mirror, of GETs of Redis", single, "1/s", baseline: $0)] } ?? [])
    }

    private static func measureFiveMillion() throws -> [Figure] {
        let filled = try FilledMirror(count: 5 * self.million)
        let ids = AskedIDs(count: self.million, of: 5 * self.million)
        return [
            Figure(
                "batched checks on a mirror of 5,000,000", Self.rate(ids) { filled.askInBatches($0, of: self.batch) },
                "1/s", goal: .valueAtLeast(2_000_000)),
            Figure(
                "single checks on a mirror of 5,000,000", Self.rate(ids, filled.askOneByOne), "1/s",
                goal: .valueAtLeast(2_000_000)),
        ]
    }

    /// - Parameter body: gives a sum, so that nothing is left out.
    private static func rate(_ ids: AskedIDs, _ body: (AskedIDs) -> Int64) -> Double {
        var rates: [Double] = []
        var sum: Int64 = 0
        for _ in 0..<self.rounds {
            let start = ContinuousClock.now
            sum &+= body(ids)
            rates.append(Double(ids.texts.count) / (ContinuousClock.now - start).seconds)
        }
        precondition(sum > 0, "every id was found")
        return rates.median()
    }
}
