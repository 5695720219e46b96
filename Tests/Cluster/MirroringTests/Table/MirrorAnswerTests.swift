import Entitlements
import EventLog
import Mirroring
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct MirrorAnswerTests {
    @Test("a mirror answers as the newest row does, at any moment, one at a time and in batches", arguments: 0..<12)
    func answersLikeRows(seed: UInt64) throws {
        // Given
        var random = SeededGenerator(seed: seed)
        let fixture = MirrorFixture()
        var rows: [StreamKey: EntitlementRow] = [:]
        // When
        for _ in 0..<4_000 {
            let key = Self.key(using: &random)
            let row = EntitlementRow.random(
                version: .random(in: 0...40, using: &random), limit: seed % 3 == 0 ? 40 : 5, products: 12,
                using: &random)
            let changes = rows[key].map { $0.version < row.version } ?? true
            #expect(try fixture.apply(key, row) == changes)
            if changes { rows[key] = row }
        }
        // Then
        for _ in 0..<20 {
            let moment = MirrorFixture.start + .hours(.random(in: -2_000...12_000, using: &random))
            let asked = rows.keys.shuffled(using: &random)
            var answers: [MirrorAnswer] = []
            fixture.mirror.check(asked.map { fixture.question($0) }, at: fixture.time(moment), into: &answers)
            #expect(answers.count == asked.count)
            for (key, answer) in zip(asked, answers) {
                let row = try #require(rows[key])
                #expect(fixture.mirror.checkAnswer(of: answer) == row.answer(at: moment))
                #expect(answer.outcome == .found)
                #expect(answer.version.rawValue == row.version)
                #expect(fixture.mirror.bundleID(of: answer) == key.bundleID)
                #expect(fixture.check(key, at: moment) == answer)
            }
        }
        #expect(fixture.mirror.count == rows.count)
    }

    @Test("nobody is entitled past validUntil on a mirror that hears nothing more")
    func endsByItself() throws {
        let fixture = MirrorFixture()
        let key = MirrorFixture.key("2000000000000001")
        try fixture.apply(key, .simple(1, days: 30))
        let end = MirrorFixture.start + .days(30)
        let before = fixture.check(key, at: end - Milliseconds(rawValue: 1), after: .seconds(86_400 * 30))
        #expect(before.entitled && before.isStale && before.validUntil == end)
        let after = fixture.check(key, at: end, after: .seconds(86_400 * 30))
        #expect(!after.entitled && after.validUntil == nil && after.state == .expired)
    }

    @Test("order and repetition of rows do not matter", arguments: 0..<20)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<30).map { _ in
            EntitlementRow.random(
                version: .random(in: 1...1_000, using: &random), limit: 9, products: 3, using: &random)
        }
        let newest = Dictionary(rows.map { ($0.version, $0) }) { first, _ in first }
        let unique = Array(newest.values)
        let last = try #require(unique.max { $0.version < $1.version })
        let key = MirrorFixture.key("1")
        let fixture = MirrorFixture()
        for row in (unique + unique).shuffled(using: &random) { try fixture.apply(key, row) }
        let moment = MirrorFixture.start
        #expect(fixture.mirror.checkAnswer(of: fixture.check(key, at: moment)) == last.answer(at: moment))
        #expect(fixture.mirror.count == 1)
    }

    @Test("an id without its bundle is found where it is clear, in its environment alone")
    func bundles() throws {
        let fixture = MirrorFixture()
        let first = MirrorFixture.key("7", .production, "a")
        let second = MirrorFixture.key("7", .production, "b")
        let sandbox = MirrorFixture.key("7", .sandbox, "a")
        let purchase = MirrorFixture.key("7", kind: .purchase, .production, "c")
        func ask(_ key: StreamKey) -> MirrorAnswer {
            fixture.mirror.check(fixture.question(key, namesBundle: false), at: fixture.time())
        }
        #expect(ask(first).outcome == .unknown)
        try fixture.apply(first, .simple(1, product: "first"))
        try fixture.apply(sandbox, .simple(2, product: "sandbox"))
        try fixture.apply(purchase, .simple(3, product: "purchase"))
        #expect(fixture.mirror.productID(of: ask(first)) == "first")
        #expect(fixture.mirror.productID(of: ask(sandbox)) == "sandbox")
        #expect(fixture.mirror.productID(of: ask(purchase)) == "purchase")
        #expect(fixture.check(second).outcome == .unknown)
        try fixture.apply(second, .simple(4, product: "second"))
        #expect(ask(first).outcome == .ambiguous && !ask(first).entitled)
        #expect(fixture.mirror.productID(of: fixture.check(first)) == "first")
        #expect(fixture.mirror.productID(of: fixture.check(second)) == "second")
        #expect(fixture.mirror.productID(of: ask(sandbox)) == "sandbox")
    }

    @Test("what is no key or no row is refused, and streams that nobody checks are left out")
    func refusals() throws {
        let fixture = MirrorFixture()
        let shard = ShardID(rawValue: 0)
        let key = MirrorFixture.key("1")
        let row = EntitlementRow.simple(1)
        for bytes in [[], [1], [99, 49, 0, 80, 0, 97], Array(key.bytes.prefix(3)), [1, 49, 0, 80]] as [[UInt8]] {
            #expect(throws: MirrorError.self) { try fixture.mirror.apply(key: bytes, row, in: shard) }
        }
        #expect(throws: MirrorError.self) { try fixture.mirror.apply(key: key.bytes, entitlement: [3], in: shard) }
        #expect(throws: MirrorError.self) { try fixture.apply(key, .simple(-1)) }
        #expect(throws: MirrorError.self) { try fixture.apply(key, .simple(1 << 48)) }
        #expect(throws: MirrorError.self) {
            try fixture.mirror.apply(key: key.bytes, row, in: ShardID(rawValue: 16))
        }
        #expect(
            try !fixture.mirror.apply(
                key: MirrorFixture.key("test:1", kind: .test).bytes, entitlement: [], in: ShardID(rawValue: 0)))
        #expect(try !fixture.apply(MirrorFixture.key("test:1", kind: .test), row))
        #expect(fixture.mirror.count == 0)
    }

    private static func key(using random: inout SeededGenerator) -> StreamKey {
        MirrorFixture.key(
            String(Int.random(in: 0..<1_500, using: &random)),
            kind: Bool.random(using: &random) ? .subscription : .purchase,
            Bool.random(using: &random) ? .production : .sandbox, "app.\(Int.random(in: 0..<4, using: &random))")
    }
}
