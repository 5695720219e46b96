import Subscriptions
import Testing

/// Facts from so small a world that everything collides: the same id with several purchase dates, versions of one
/// millisecond, evicted transactions that come back. What hostile or broken input may do, order still cannot show.
@Suite struct CollisionTests {
    @Test("any order gives one state", arguments: 1...300 as ClosedRange<UInt64>)
    func orderDoesNotMatter(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bundles = (0..<20).map { _ in Self.bundle(&random) }
        let inOrder = StreamState(.subscription, bundles)
        for _ in 0..<50 {
            let state = StreamState(.subscription, bundles.shuffledWithRepeats(using: &random))
            #expect((state == inOrder) as Bool, "seed \(seed)")
        }
        #expect(inOrder.facts.periods.count <= 4)
    }

    @Test(
        "an owner's way gives the same state, and the same log the same answers",
        arguments: 1...1000 as ClosedRange<UInt64>)
    func liveAndReplayAgree(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let rules = DerivationRules()
        let bundles = (0..<20).map { _ in Self.bundle(&random) }
        var live = StreamState(key: .subscription)
        let log = bundles.flatMap { live.receive($0) }
        let replayed = log.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }
        #expect((live.facts == StreamState(.subscription, bundles).facts) as Bool, "seed \(seed)")
        let answers = live.phases(from: .distantPast, rules: rules)
        #expect((replayed.phases(from: .distantPast, rules: rules) == answers) as Bool, "seed \(seed)")
        #expect(
            answers.allSatisfy { phase in
                phase.snapshot.entitled == (phase.snapshot.validUntil.map { phase.from < $0 } ?? false)
            })
    }

    @Test(
        "of a purchase nothing is ever left out: any order, now and at=now", arguments: 1...300 as ClosedRange<UInt64>)
    func purchases(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let rules = DerivationRules()
        let bundles = (0..<20).map { _ in Self.bundle(&random) }
        let inOrder = StreamState(.purchase, bundles)
        for _ in 0..<20 {
            let shuffled = bundles.shuffledWithRepeats(using: &random)
            #expect((StreamState(.purchase, shuffled) == inOrder) as Bool, "seed \(seed)")
            let past = StreamHistory(shuffled, key: .purchase).snapshot(at: day(100), rules: rules)
            #expect(past == inOrder.snapshot(at: day(100), rules: rules), "seed \(seed)")
        }
        #expect(inOrder.facts.periods.count == 1)
    }

    @Test("the number of the statuses endpoint is not signed: whichever came last, one state comes of it")
    func unsignedStatusesOfOneSignature() {
        let paid = transaction(100, from: 0, to: 30)
        let bundles = [Int64](1...5).map { number in
            SubscriptionsTests.bundle(
                .statuses, [paid], renewal(signed: 40),
                status(number, asOf: 40, unsigned: .init(purchaseDate: paid.purchaseDate)))
        }
        let state = StreamState(.subscription, bundles)
        #expect(state.facts.status?.observation.status == .revoked)
        for _ in 0..<20 {
            let other = StreamState(.subscription, bundles.shuffled() + bundles.prefix(1))
            #expect((other == state) as Bool)
        }
    }

    private static func bundle(_ random: inout SeededRandom) -> FactBundle {
        var content = Int.random(in: 0..<1_000_000, using: &random)
        func draw(_ count: Int) -> Int {
            defer { content /= count }
            return content % count
        }
        let whole = content
        let start = draw(7), signed = Double(draw(3)) + 40
        let paid = transaction(
            100 + draw(6), from: Double(start) * 10, to: Double(start * 10 + 10 + draw(2)), signed: signed
        ) {
            $0.digest = digest(whole)
            $0.revocationDate = draw(4) == 0 ? day(Double(start) * 10 + 3) : nil
            $0.webOrderLineItemID = ["shared", nil, $0.transactionID.rawValue, $0.transactionID.rawValue][draw(4)]
            $0.isUpgraded = draw(5) == 0 ? true : nil
        }
        let info = draw(2) == 0 ? nil : renewal(signed: signed, autoRenew: draw(2) == 0) { $0.digest = digest(whole) }
        var observed = draw(2) == 0 ? nil : status(Int64(whole % 7), asOf: signed)
        observed?.digest = digest(whole)
        let source = EventSource.allCases[whole % 4]
        var bundle = SubscriptionsTests.bundle(
            source, [paid], info, source == .notification || source == .statuses ? observed : nil)
        if source == .statuses { bundle.facts.status?.unsigned = .init(purchaseDate: paid.purchaseDate) }
        return bundle
    }
}
