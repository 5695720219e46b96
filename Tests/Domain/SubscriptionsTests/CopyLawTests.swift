import PerennialTestSupport
import Subscriptions
import Testing

/// Lives with copies of anything, in any order: the same answer now, at `at=now`, at any moment before, after a replay, and
/// without the copies. A failure names the seed.
@Suite(.onOwnThreads) struct CopyLawTests {
    private static let rules = DerivationRules()

    @Test("of subscriptions", arguments: 1...300 as ClosedRange<UInt64>)
    func subscriptions(_ seed: UInt64) throws {
        try self.hold(Lifecycle(seed: seed).bundles, of: .subscription, seed)
    }

    @Test("of one-time purchases", arguments: 1...300 as ClosedRange<UInt64>)
    func purchases(_ seed: UInt64) throws {
        let life = PurchaseLife(seed: seed)
        try self.hold(life.bundles, of: .purchase, seed)
        let history = StreamHistory(life.bundles, key: .purchase)
        for moment in Self.moments(of: life.bundles) {
            let isRevoked = history.snapshot(at: moment, rules: Self.rules)?.state == .revoked
            #expect(isRevoked == life.isRevoked(at: moment), "seed \(seed): at=\(moment)")
        }
    }

    private func hold(_ life: [FactBundle], of key: StreamKey, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed &+ 4_000_000)
        let now = life.map(\.signedDate).max()!
        let expected = try #require(StreamState(key, life).snapshot(at: now, rules: Self.rules))
        let moments = Self.moments(of: life).shuffled(using: &random).prefix(16)
        let withoutCopies = StreamHistory(life, key: key)
        let before = moments.map { withoutCopies.snapshot(at: $0, rules: Self.rules) }
        for round in 0..<20 {
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
            guard round < 4 else { continue }
            let history = StreamHistory(bundles, key: key)
            for (moment, answer) in zip(moments, before) {
                let then = history.snapshot(at: moment, rules: Self.rules)
                #expect(then == answer, "seed \(seed): at=\(moment)")
            }
        }
    }

    /// Around each signature and each revocation.
    private static func moments(of life: [FactBundle]) -> [Moment] {
        let dates = life.flatMap { [$0.signedDate] + $0.facts.transactions.compactMap(\.revocationDate) }
        let now = dates.max()!
        return Set(dates.flatMap { [$0 - .minutes(5), $0, $0 + .minutes(5)] }).filter {
            $0 <= now && life[0].signedDate <= $0
        }.sorted()
    }

    /// What the same source brought of other devices: the same words under another id, one or more of each device, signed
    /// then or a little later.
    private static func copies(
        of life: [FactBundle], of key: StreamKey, _ random: inout SeededRandom
    ) -> [FactBundle] {
        let devices = Int.random(in: 1...9, using: &random)
        return (1...Int.random(in: 1...9, using: &random)).map { number in
            let place = life.indices.randomElement(using: &random)!
            let device = Int.random(in: 1...devices, using: &random)
            var copy = life[place]
            copy.facts = Facts(transactions: life[place].facts.transactions)
            var info = copy.facts.transactions[0]
            info.transactionID = TransactionID(rawValue: "\(device)0\(info.transactionID.rawValue)")
            info.digest = digest(1_000_000 + number)
            if random.chance(50) { info.signedDate = Self.moment(whileNewest: place, of: life, &random) }
            if key.kind == .purchase { info.purchaseDate = info.purchaseDate.map { $0 + .hours(Int64(device)) } }
            copy.facts.transactions[0] = info
            copy.signedDate = max(copy.signedDate, info.signedDate)
            copy.notification?.uuid = "copy-\(number)"
            copy.notification?.type = "UNKNOWN_TYPE"
            return copy
        }
    }

    /// After what this bundle says of its transaction was signed, and before anything else is.
    private static func moment(
        whileNewest place: Int, of life: [FactBundle], _ random: inout SeededRandom
    ) -> Moment {
        let own = life[place].facts.transactions[0]
        let all = life.flatMap(\.facts.transactions)
        let next = all.filter { $0.transactionID == own.transactionID && own.signedDate < $0.signedDate }
        let end = next.map(\.signedDate).min() ?? all.map(\.signedDate).max()! + oneMillisecond
        let length = end.rawValue - own.signedDate.rawValue
        return own.signedDate + Milliseconds(rawValue: .random(in: 0..<length, using: &random))
    }
}

/// A one-time purchase that is refunded and given back a few times, and now and then looked at. Some of what Apple signed has
/// not arrived: of a purchase that was given back, another refund may be the next word, or the same one.
private struct PurchaseLife {
    private(set) var bundles: [FactBundle] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var unlock = transaction(100, from: 0, to: nil, product: "lifetime") {
            $0.productType = "Non-Consumable"
            $0.webOrderLineItemID = random.chance(50) ? nil : "w100"
        }
        var now = 0.0
        var refund: Moment?
        for number in 0..<Int.random(in: 1...8, using: &random) {
            if number > 0, random.chance(60) {
                let isGivenBack = unlock.revocationDate != nil && random.chance(70)
                if refund == nil || !random.chance(30) { refund = day(now) }
                unlock.revocationDate = isGivenBack ? nil : refund
            }
            now += 0.25
            (unlock.signedDate, unlock.digest) = (day(now), digest(number))
            now += Double.random(in: 0.5...20, using: &random)
            self.bundles.append(bundle(random.chance(70) ? .notification : .history, [unlock]))
        }
    }

    /// Each refund counts from its date until a version was signed that does not name it.
    func isRevoked(at moment: Moment) -> Bool {
        let words = self.bundles.map { $0.facts.transactions[0] }
        return words.indices.contains { place in
            guard let date = words[place].revocationDate, date <= moment else { return false }
            guard place + 1 < words.count else { return true }
            return words[place + 1].revocationDate != date && moment < words[place + 1].signedDate
        }
    }
}
