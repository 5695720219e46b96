import Entitlements
import Mirroring
import Ownership
import PerennialTestSupport
import Subscriptions
import Testing

@Suite(.onOwnThreads) struct MirrorMemoryTests {
    @Test("a mirrored subscription takes at most 120 bytes, however far the table has just grown")
    func bytesPerSubscription() throws {
        let fixture = MirrorFixture()
        let encoded = EntitlementRow.simple(1).encoded(under: MirrorFixture.fingerprint)
        var worst = 0.0
        for number in 1...400_000 {
            let id = String(2_000_000_000_000_000 + number)
            try fixture.mirror.apply(
                key: MirrorFixture.key(id).bytes, entitlement: encoded, in: fixture.map.shard(of: id))
            guard number >= 100_000, number % 5_000 == 0 else { continue }
            worst = max(worst, Double(fixture.mirror.bytes) / Double(number))
        }
        #expect(fixture.mirror.count == 400_000)
        // Less than the entry itself would mean that something is not counted.
        #expect(worst > 64 && worst <= 120, "\(worst)")
    }

    @Test("rewriting rows takes no more memory, whatever their size")
    func rewriting() throws {
        let fixture = MirrorFixture()
        var random = SeededGenerator(seed: 3)
        func rewrite(_ versions: Range<Int64>) throws {
            for version in versions {
                for id in 0..<50 {
                    let row = EntitlementRow.random(version: version, limit: 30, products: 5, using: &random)
                    try fixture.apply(MirrorFixture.key("\(id)"), row)
                }
            }
        }
        try rewrite(1..<200)
        let before = fixture.mirror.bytes
        try rewrite(200..<1_000)
        #expect(fixture.mirror.bytes == before)
    }
}
