import Entitlements
import EventLog
import Foundation
import Mirroring
import Ownership
import PerennialTestSupport
import Subscriptions
import Testing

/// A mirror with a clock of its own, and rows to fill it with.
struct MirrorFixture {
    let mirror: EntitlementMirror
    let map = ShardHash(shardCount: 16)!
    let origin = ContinuousClock.now

    init() { self.mirror = EntitlementMirror(map: self.map, staleness: .seconds(2), origin: self.origin) }

    static let start = Moment(milliseconds: 1_777_593_600_000)
    static let fingerprint = RulesFingerprint(DerivationRules())

    static func key(
        _ id: String, kind: StreamKind = .subscription, _ environment: AppStoreEnvironment = .production,
        _ bundle: String = "com.example.app"
    ) -> StreamKey {
        StreamKey(kind: kind, id: id, environment: environment, bundleID: BundleID(rawValue: bundle))
    }

    func time(_ moment: Moment = Self.start, after passed: Duration = .zero) -> MirrorTime {
        self.mirror.time(moment, self.origin + passed)
    }

    @discardableResult
    func apply(_ key: StreamKey, _ row: EntitlementRow) throws -> Bool {
        try self.mirror.apply(
            key: key.bytes, entitlement: row.encoded(under: Self.fingerprint), in: self.map.shard(of: key.id))
    }

    func question(_ key: StreamKey, namesBundle: Bool = true) -> MirrorQuestion {
        MirrorQuestion(
            MirrorID(key.id),
            in: self.mirror.scope(key.environment, namesBundle ? key.bundleID : nil, kind: key.kind))
    }

    func check(_ key: StreamKey, at moment: Moment = Self.start, after passed: Duration = .zero) -> MirrorAnswer {
        let (question, time) = (self.question(key), self.time(moment, after: passed))
        let answer = self.mirror.check(question, at: time)
        // Asked in one call it is the same.
        var id = key.id
        let scope = self.mirror.scope(key.environment, key.bundleID, kind: key.kind)
        #expect(id.withUTF8 { self.mirror.check(utf8: UnsafeRawBufferPointer($0), in: scope, at: time) } == answer)
        return answer
    }
}

extension EntitlementRow {
    /// Access until `days` after the start, unless `version` says otherwise.
    static func simple(_ version: Int64, days: Int64 = 30, product: String? = "pro") -> EntitlementRow {
        let start = MirrorFixture.start
        return EntitlementRow(
            version: version,
            phases: [
                Phase(
                    from: start, state: .subscribed, entitled: true, code: CohortCode(state: 5, offer: 0),
                    productID: product),
                Phase(
                    from: start + .days(days), state: .expired, entitled: false, code: CohortCode(state: -5, offer: 0),
                    productID: product),
            ])
    }

    /// Up to `limit` phases of any content, at any moments.
    static func random(
        version: Int64, limit: Int, products: Int, using random: inout SeededGenerator
    ) -> EntitlementRow {
        var from = MirrorFixture.start + .days(.random(in: -40...40, using: &random))
        // Now and then before 1970, or so late that a word cannot hold it.
        if Int.random(in: 0..<20, using: &random) == 0 { from = Moment(milliseconds: -5_000) }
        if Int.random(in: 0..<20, using: &random) == 0 { from = Moment(milliseconds: 1 << 45) }
        let phases = (0..<Int.random(in: 0...limit, using: &random)).map { _ in
            defer { from = from + .hours(.random(in: 0...400, using: &random)) }
            return Phase(
                from: from, state: EntitlementRow.states.randomElement(using: &random)!,
                entitled: Bool.random(using: &random),
                code: CohortCode(state: .random(in: -9...5, using: &random), offer: .random(in: 0...5, using: &random)),
                productID: Int.random(in: 0..<8, using: &random) == 0
                    ? nil : "product.\(Int.random(in: 0..<products, using: &random))")
        }
        return EntitlementRow(version: version, phases: phases)
    }
}
