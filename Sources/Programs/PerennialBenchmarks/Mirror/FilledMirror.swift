import Entitlements
import EventLog
import Mirroring
import Ownership
import Subscriptions

/// A mirror of subscriptions that are all current.
struct FilledMirror {
    private let mirror: EntitlementMirror
    private let count: Int
    /// How long the mirror took over rows that lay ready.
    let took: Duration

    private static let start = Moment(milliseconds: 1_777_593_600_000)

    init(count: Int) throws {
        guard let map = ShardHash(shardCount: ShardHash.defaultShardCount) else {
            throw BenchmarkError("a store has so many shards")
        }
        let ids = SubscriptionIDs(count: count)
        let mirror = EntitlementMirror(map: map)
        let encoded = Self.rows.map { $0.encoded(under: RulesFingerprint(DerivationRules())) }
        var took = Duration.zero
        for first in stride(from: 0, to: count, by: 10_000) {
            let rows = (first..<min(first + 10_000, count)).map { index in
                let key = StreamKey(
                    kind: .subscription, id: ids[index], environment: .production,
                    bundleID: BundleID(rawValue: "com.example.app"))
                return (key.bytes, encoded[index % encoded.count], map.shard(of: key.id))
            }
            let start = ContinuousClock.now
            for (key, row, shard) in rows { try mirror.apply(key: key, entitlement: row, in: shard) }
            took += .now - start
        }
        for shard in map.shards { mirror.setCurrent(shard, asOf: .now) }
        self.mirror = mirror
        self.count = count
        self.took = took
    }

    /// What customers have in turns: paid for, in a grace period, and expired.
    private static var rows: [EntitlementRow] {
        let rows = [
            [self.phase(.subscribed, 0), self.phase(.expired, 30)],
            [self.phase(.subscribed, -31), self.phase(.grace, -1), self.phase(.expired, 16)],
            [self.phase(.expired, -10)],
        ]
        // Of ten, seven have paid.
        let shares = [0, 0, 1, 0, 0, 2, 0, 0, 2, 0]
        return shares.map { EntitlementRow(version: 3, phases: rows[$0]) }
    }

    private static func phase(_ state: LifecycleState, _ days: Int64) -> EntitlementRow.Phase {
        EntitlementRow.Phase(
            from: self.start + .days(days), state: state, entitled: state != .expired,
            code: CohortCode(state: state == .expired ? -5 : 5, offer: 0),
            productID: "com.example.newspaper.everything.monthly")
    }

    var bytesPerSubscription: Double { Double(self.mirror.bytes) / Double(self.count) }

    /// What is at hand without a mirror: when the access of each id ends.
    func dictionary() -> [String: Int64] {
        let ids = SubscriptionIDs(count: self.count)
        var ends: [String: Int64] = [:]
        ends.reserveCapacity(self.count)
        for index in 0..<self.count { ends[ids[index]] = 1 }
        return ends
    }

    /// - Returns: how many are entitled.
    func askOneByOne(_ ids: AskedIDs) -> Int64 {
        let scope = self.mirror.scope(.production)
        let time = self.mirror.time(Self.start + .days(1), .now)
        var entitled: Int64 = 0
        ids.bytes.withUnsafeBytes { bytes in
            for number in 0..<(bytes.count / 16) {
                entitled += self.mirror.check(utf8: AskedIDs.text(number, bytes), in: scope, at: time).entitled ? 1 : 0
            }
        }
        return entitled
    }

    /// The time is read once for each batch.
    func askInBatches(_ ids: AskedIDs, of size: Int) -> Int64 {
        var entitled: Int64 = 0
        var questions: [MirrorQuestion] = []
        var answers: [MirrorAnswer] = []
        ids.bytes.withUnsafeBytes { bytes in
            for first in stride(from: 0, to: bytes.count / 16, by: size) {
                let scope = self.mirror.scope(.production)
                let time = self.mirror.time(Self.start + .days(1), .now)
                questions.removeAll(keepingCapacity: true)
                for number in first..<min(first + size, bytes.count / 16) {
                    questions.append(MirrorQuestion(AskedIDs.id(number, bytes), in: scope))
                }
                self.mirror.check(questions, at: time, into: &answers)
                for answer in answers where answer.entitled { entitled += 1 }
            }
        }
        return entitled
    }
}
