import Testing

/// A node that comes: what is not to be its own stays where it is.
@Suite(.enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct MembershipTests {
    private let nodes: BenchmarkNodes

    init() async throws { self.nodes = try await BenchmarkNodes(root: SignedCorpus(count: 1, seed: 53).root) }

    private typealias Owners = [Int: BenchmarkNodes.Owned]

    /// Waits until each holds no less than a tenth under an equal share, and nothing moves any more: whoever is given a
    /// shard takes it once more.
    private func untilDivided(among names: Set<String>) async throws -> Owners {
        var last: Owners = [:]
        var rest = 0
        while true {
            let owners = try await self.nodes.owners()
            let loads = owners.values.reduce(into: [:]) { $0[$1.node, default: 0] += 1 }
            let isEven = loads.values.allSatisfy { $0 >= NodeProcess.shardCount * 10 / (names.count * 11) }
            rest = Set(loads.keys) == names && isEven && owners == last ? rest + 1 : 0
            if rest == 10 { return owners }
            last = owners
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func whoJoinsIsGivenAShareAndNothingMovesBetweenTheOthers() async throws {
        // given
        let first = try await self.nodes.start("a")
        let second = try await self.nodes.start("b")
        let before = try await self.untilDivided(among: ["a", "b"])
        // when
        let third = try await self.nodes.start("c")
        let after = try await self.untilDivided(among: ["a", "b", "c"])
        // then: a third, or a tenth more; and each once
        let moved = after.filter { before[$0.key]?.node != $0.value.node }
        #expect(moved.values.allSatisfy { $0.node == "c" })
        #expect(moved.count <= (NodeProcess.shardCount * 11 + 29) / 30)
        // Given by its owner, and taken once more by who gets it.
        #expect(moved.allSatisfy { $0.value.epoch == (before[$0.key]?.epoch ?? 0) + 2 })
        let stayed = after.filter { before[$0.key]?.node == $0.value.node }
        #expect(stayed.allSatisfy { $0.value == before[$0.key] })
        for node in [first, second, third] { #expect(node.process.isRunning) }
    }
}
