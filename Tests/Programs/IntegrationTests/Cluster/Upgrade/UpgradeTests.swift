import EventLog
import Testing

/// A rolling restart: nodes of two releases side by side, under load.
@Suite(.enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct UpgradeTests {
    /// Of today's release, and of the one that comes after it.
    static let (today, next) = (FeatureLevel.supported.rawValue, FeatureLevel.supported.rawValue + 1)
    private let cluster: UpgradeCluster

    init() async throws { self.cluster = try await UpgradeCluster() }

    @Test(
        "nodes are replaced one after the other, nothing is lost, and the older release is refused in the end",
        .timeLimit(.minutes(10)))
    func rolls() async throws {
        try await self.cluster.run {
            // given: three nodes of today's release
            try await self.cluster.load.untilAcknowledged(50)
            let nothingNew = try await self.cluster.finalize(by: 0)
            #expect(
                nothingNew.output == "The store is already at feature level \(Self.today).\n", "\(nothingNew.errors)")

            for number in 0..<3 {
                // when: one more is replaced
                try await self.cluster.upgrade(number)
                // then: as long as older ones live, whoever is asked names them
                for asked in 0..<3 where number < 2 {
                    let refused = try await self.cluster.finalize(by: asked)
                    let older = (number + 1..<3).map { "node-\($0) (level \(Self.today))" }.joined(separator: ", ")
                    let refusal = "error: olderNodes: feature level \(Self.next) is not supported yet by \(older): "
                    #expect(refused.status == 1)
                    #expect(refused.errors.hasPrefix(refusal), "\(refused.errors)")
                }
            }

            // when: none of them is left
            let raised = try await self.cluster.finalize(by: 2)
            let again = try await self.cluster.finalize(by: 0)
            // then
            #expect(raised.output == "The store is now at feature level \(Self.next).\n", "\(raised.errors)")
            #expect(again.output == "The store is already at feature level \(Self.next).\n", "\(again.errors)")
            let refused = try await self.cluster.startOlder()
            let refusal =
                "error: the store is at feature level \(Self.next), and this version supports \(Self.today) at most: run a newer version"
            #expect(refused.status == 1)
            #expect(refused.errors == refusal + "\n")
            try await self.cluster.load.untilAcknowledged(50)
        }
    }
}
