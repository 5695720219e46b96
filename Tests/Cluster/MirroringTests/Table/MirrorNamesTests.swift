import Entitlements
import Mirroring
import PerennialTestSupport
import Subscriptions
import Synchronization
import Testing

/// Apps and products, of which there are few or very many.
@Suite struct MirrorNamesTests {
    private final class Progress: Sendable {
        /// How many apps have been taken over.
        let published = Atomic<Int>(0)
    }

    private static func key(_ number: Int) -> StreamKey {
        MirrorFixture.key("1", .production, "com.example.app\(number)")
    }

    private static func isKnown(_ number: Int, in fixture: MirrorFixture) -> Bool {
        let answer = fixture.check(Self.key(number))
        return answer.outcome == .found && fixture.mirror.bundleID(of: answer) == Self.key(number).bundleID
            && fixture.mirror.productID(of: answer) == "product.\(number)"
    }

    @Test("each app is known from its first row on, and none before")
    func knownFromTheFirstRowOn() throws {
        let fixture = MirrorFixture()
        for number in 0..<400 {
            #expect(fixture.check(Self.key(number)).outcome == .unknown)
            try fixture.apply(Self.key(number), .simple(1, product: "product.\(number)"))
            #expect(Self.isKnown(number, in: fixture))
            #expect(Self.isKnown(number / 2, in: fixture))
        }
        #expect(fixture.check(MirrorFixture.key("1", .sandbox)).outcome == .unknown)
    }

    @Test("whoever reads beside the writer finds every app that had been taken over")
    func besideTheWriter() async throws {
        let fixture = MirrorFixture()
        let total = 3_000
        let progress = Progress()
        let missed = try await withThrowingTaskGroup(of: Int.self) { group in
            for reader in 0..<2 {
                group.addTask {
                    await onOwnThread {
                        var missed = 0
                        var known = 0
                        repeat {
                            known = progress.published.load(ordering: .acquiring)
                            // The newest, and one of the first.
                            for number in [known - 1, reader] where number < known && number >= 0 {
                                if !Self.isKnown(number, in: fixture) { missed += 1 }
                            }
                        } while known < total
                        return missed
                    }
                }
            }
            try await onOwnThread {
                for number in 0..<total {
                    try fixture.apply(Self.key(number), .simple(1, product: "product.\(number)"))
                    progress.published.store(number + 1, ordering: .releasing)
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(missed == 0)
    }
}
