import PerennialTestSupport
import Subscriptions
import Testing

/// Lives with one to nine copies of anything, in any order: the same answer now, at `at=now`, after a replay, and without the
/// copies. A failure names the seed.
@Suite(.onOwnThreads) struct CopyLawTests {
    private static let rules = DerivationRules()

    @Test("of subscriptions", arguments: 1...300 as ClosedRange<UInt64>)
    func subscriptions(_ seed: UInt64) throws {
        try self.hold(Lifecycle(seed: seed).bundles, of: .subscription, seed)
    }

    @Test("of one-time purchases", arguments: 1...300 as ClosedRange<UInt64>)
    func purchases(_ seed: UInt64) throws {
        try self.hold(PurchaseLife(seed: seed).bundles, of: .purchase, seed)
    }

    private func hold(_ life: [FactBundle], of key: StreamKey, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed &+ 4_000_000)
        let now = life.map(\.signedDate).max()!
        let expected = try #require(StreamState(key, life).snapshot(at: now, rules: Self.rules))
        for _ in 0..<20 {
            let copies = Self.copies(of: life, of: key, &random)
            let bundles = (life + copies).shuffled(using: &random)
            var live = StreamState(key: key)
            var log = [(at: Moment, event: SubscriptionEvent)]()
            for bundle in bundles {
                log += live.receive(bundle).map { (Moment(milliseconds: Int64(log.count)), $0) }
            }
            let replayed = log.reduce(into: StreamState(key: key)) { $0.apply($1.event) }
            let past = StreamHistory(key: key, events: log).snapshot(at: now, rules: Self.rules)
            #expect((live.facts == StreamState(key, bundles).facts) as Bool, "seed \(seed): order")
            #expect(live.snapshot(at: now, rules: Self.rules) == expected, "seed \(seed): now")
            #expect(replayed.snapshot(at: now, rules: Self.rules) == expected, "seed \(seed): replay")
            #expect(past == expected, "seed \(seed): at=now")
            let purchases = log.flatMap(\.event.changes).count { $0 == .oneTimePurchased }
            #expect(purchases == (key.kind == .purchase ? 1 : 0), "seed \(seed)")
        }
    }

    /// What the same source brought of another device: the same words under another id, signed then or a little later.
    private static func copies(
        of life: [FactBundle], of key: StreamKey, _ random: inout SeededRandom
    ) -> [FactBundle] {
        (1...Int.random(in: 1...9, using: &random)).map { number in
            let original = life.randomElement(using: &random)!
            var copy = original
            let id = 10_000 * number + Int.random(in: 0..<9_999, using: &random)
            copy.facts = Facts(transactions: original.facts.transactions)
            copy.facts.transactions[0].transactionID = TransactionID(rawValue: "\(id)")
            copy.facts.transactions[0].digest = digest(id)
            if key.kind == .purchase, let bought = copy.facts.transactions[0].purchaseDate {
                copy.facts.transactions[0].purchaseDate = bought + .hours(Int64(number))
            }
            copy.notification?.uuid = "copy-\(id)"
            copy.notification?.type = "UNKNOWN_TYPE"
            return copy
        }
    }
}

/// A one-time purchase that is refunded and given back a few times, and now and then looked at.
private struct PurchaseLife {
    private(set) var bundles: [FactBundle] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var unlock = transaction(100, from: 0, to: nil, product: "lifetime") {
            $0.productType = "Non-Consumable"
            $0.webOrderLineItemID = random.chance(50) ? nil : "w100"
        }
        var now = 0.0
        for number in 0..<Int.random(in: 1...8, using: &random) {
            if number > 0, random.chance(60) {
                unlock.revocationDate = unlock.revocationDate == nil ? day(now) : nil
            }
            now += 0.25
            (unlock.signedDate, unlock.digest) = (day(now), digest(number))
            now += Double.random(in: 0.5...20, using: &random)
            self.bundles.append(bundle(random.chance(70) ? .notification : .history, [unlock]))
        }
    }
}
