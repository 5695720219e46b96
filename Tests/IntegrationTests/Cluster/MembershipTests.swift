import Foundation
import Testing

/// A node that comes, and one that comes and goes: what is not to be its own stays where it is.
@Suite(.enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct MembershipTests {
    /// In seconds: twice this is more than it takes to start a node, see it live and kill it.
    private static let settling = 4
    private let nodes: BenchmarkNodes

    init() async throws {
        self.nodes = try await BenchmarkNodes(
            root: SignedCorpus(count: 1, seed: 53).root, settling: Self.settling)
    }

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

    /// Waits until a node has given so many more signs of life: a second apart or more.
    private func untilBeaten(_ count: Int, by name: String) async throws {
        let before = try await self.nodes.beats(of: name)
        while try await self.nodes.beats(of: name) < before + count { try await Task.sleep(for: .milliseconds(100)) }
    }

    /// A third of all, or a tenth more; each once, and everything else is as it was.
    private func expectGiven(to name: String, from before: Owners, _ after: Owners) {
        let moved = after.filter { before[$0.key]?.node != $0.value.node }
        #expect(moved.values.allSatisfy { $0.node == name })
        #expect(moved.count <= (NodeProcess.shardCount * 11 + 29) / 30)
        // Given by its owner, and taken once more by who gets it.
        #expect(moved.allSatisfy { $0.value.epoch == (before[$0.key]?.epoch ?? 0) + 2 })
        let stayed = after.filter { before[$0.key]?.node == $0.value.node }
        #expect(stayed.allSatisfy { $0.value == before[$0.key] })
    }

    @Test(.timeLimit(.minutes(10)))
    func whoJoinsIsGivenAShareAndNothingMovesBetweenTheOthers() async throws {
        // given: the second is first for some of what the first has too much when there are three
        let first = try await self.nodes.start("a")
        let second = try await self.nodes.start("c")
        let before = try await self.untilDivided(among: ["a", "c"])
        // when
        let third = try await self.nodes.start("d")
        let after = try await self.untilDivided(among: ["a", "c", "d"])
        // then
        self.expectGiven(to: "d", from: before, after)
        for node in [first, second, third] { #expect(node.process.isRunning) }
    }

    @Test(.timeLimit(.minutes(10)))
    func whoFlapsIsGivenNothingBeforeItLastsAndNothingMovesBetweenTheOthers() async throws {
        // given
        let steady = [try await self.nodes.start("a"), try await self.nodes.start("b")]
        _ = try await self.untilDivided(among: ["a", "b"])
        var third = try await self.nodes.start("c")
        let before = try await self.untilDivided(among: ["a", "b", "c"])

        // when
        third.process.send(SIGKILL)
        _ = await third.process.waitForExit()
        let taken = try await self.untilDivided(among: ["a", "b"])
        // then: each shard of its own was taken, once, and everything else is as it was
        for (shard, former) in before {
            let owner = try #require(taken[shard])
            if former.node == "c" { #expect(owner.epoch == former.epoch + 1) } else { #expect(owner == former) }
        }

        // when: it comes back, and is killed when the others have seen it
        for _ in 0..<3 {
            third = try await self.nodes.start("c")
            try await self.untilBeaten(1, by: "c")
            // then
            #expect(try await self.nodes.owners() == taken)
            third.process.send(SIGKILL)
            _ = await third.process.waitForExit()
        }

        // when: it stays for twice as long as was enough when it was new
        third = try await self.nodes.start("c")
        try await self.untilBeaten(2 * Self.settling, by: "c")
        // then: it still has to prove that it lasts
        #expect(try await self.nodes.owners() == taken)
        // when
        let after = try await self.untilDivided(among: ["a", "b", "c"])
        // then
        self.expectGiven(to: "c", from: taken, after)
        for node in steady + [third] { #expect(node.process.isRunning) }
    }
}
