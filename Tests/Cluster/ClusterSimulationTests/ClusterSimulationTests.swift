import Foundation
import PerennialTestSupport
import Testing

/// Clusters in one thread, each from a seed: whatever goes wrong, promises P1 to P4 of the catalog's Architecture hold.
@Suite(.serialized) struct ClusterSimulationTests {
    /// `FIRST-LAST`, or one seed to play again; nil for anything else.
    private static func seeds(_ text: String) -> ClosedRange<UInt64>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last else { return nil }
        return first...last
    }

    struct Failure: Sendable, CustomStringConvertible {
        var seed: UInt64
        var violations: [String]

        var description: String {
            "seed \(self.seed): \(self.violations.prefix(3).joined(separator: "; ")). PERENNIAL_SEEDS=\(self.seed) plays it again"
        }
    }

    @Test("what was acknowledged is there once, in order, and no answer is older than it may be")
    func keepsItsPromises() async throws {
        let text = ProcessInfo.processInfo.environment["PERENNIAL_SEEDS"] ?? "1-10000"
        let seeds = try #require(Self.seeds(text), "PERENNIAL_SEEDS is neither FIRST-LAST nor one seed: \(text)")
        let failures = await Self.failures(in: seeds, with: Guards())
        for failure in failures.prefix(5) { Issue.record("\(failure)") }
        #expect(failures.isEmpty)
    }

    @Test("a rule that is taken away is missed", arguments: Guards.all.map(\.name))
    func needs(_ name: String) async throws {
        let guarded = try #require(Guards.all.first { $0.name == name })
        var guards = Guards()
        guards[keyPath: guarded.isOn] = false
        let failing = await onOwnThread(.searching) { [guards] in
            (UInt64(1)...10_000).first { !SimulatedCluster(seed: $0, guards: guards).run().isEmpty }
        }
        print("without \(name): seed \(failing.map(String.init) ?? "none")")
        #expect(failing != nil, "no seed needs \(name)")
    }

    @Test("seeds are a range or one of them, and nothing else")
    func readsSeeds() {
        #expect(Self.seeds("1-10000") == 1...10_000)
        #expect(Self.seeds("1713") == 1713...1713)
        for text in ["", "all", "1-", "-9", "9-1", "1-2-3", "1..9"] { #expect(Self.seeds(text) == nil) }
    }

    @Test("every kind of trouble befalls some cluster")
    func meetsTroubles() async {
        let counts = await onOwnThread(.searching) {
            (UInt64(1)...200).reduce(into: [Trouble: Int]()) { counts, seed in
                let cluster = SimulatedCluster(seed: seed)
                _ = cluster.run()
                counts.merge(cluster.troubles, uniquingKeysWith: +)
            }
        }
        for trouble in Trouble.allCases {
            #expect(counts[trouble, default: 0] > 0, "\(trouble) has no effect any more")
        }
    }

    @Test("a seed tells the same story each time")
    func isDeterministic() {
        for seed in UInt64(1)...20 {
            let (first, second) = (SimulatedCluster(seed: seed), SimulatedCluster(seed: seed))
            #expect(first.run() == second.run())
            #expect(first.store.shards.map(\.log) == second.store.shards.map(\.log))
            #expect(first.store.shards.contains { $0.log.count > (first.isQuiet ? 0 : 10) })
        }
    }

    /// On all processors.
    private static func failures(in seeds: ClosedRange<UInt64>, with guards: Guards) async -> [Failure] {
        await withTaskGroup(of: [Failure].self) { group in
            let lanes = ProcessInfo.processInfo.activeProcessorCount
            for first in seeds.prefix(lanes) {
                group.addTask {
                    await onOwnThread(.searching) {
                        stride(from: first, through: seeds.upperBound, by: lanes).compactMap { seed in
                            let violations = SimulatedCluster(seed: seed, guards: guards).run()
                            return violations.isEmpty ? nil : Failure(seed: seed, violations: violations)
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }
}
