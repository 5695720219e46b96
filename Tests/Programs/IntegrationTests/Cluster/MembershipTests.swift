import Testing

/// A node that comes, and one that comes and goes, while notifications come in: what is not to be its own stays where it is.
@Suite(.enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct MembershipTests {
    /// In seconds: twice this is more than it takes to start a node, see it live and kill it.
    private static let settling = 4

    private typealias Owners = MembershipCluster.Owners

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

    /// Each of its shards, once, and everything else is as it was.
    private func expectTaken(from name: String, _ before: Owners, _ after: Owners) throws {
        for (shard, former) in before {
            let owner = try #require(after[shard])
            if former.node == name {
                #expect(owner.node != name && owner.epoch == former.epoch + 1)
            } else {
                #expect(owner == former)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func whoJoinsIsGivenAShareAndWhoLeavesLeavesThatAndNothingMovesBetweenTheOthers() async throws {
        let cluster = try await MembershipCluster(["a", "c", "d"], settling: Self.settling)
        try await cluster.run {
            // given: the second is first for some of what the first has too much when there are three
            try await cluster.start("a")
            try await cluster.start("c")
            let before = try await cluster.untilDivided(among: ["a", "c"])
            // when
            try await cluster.start("d")
            let joined = try await cluster.untilDivided(among: ["a", "c", "d"])
            // then
            self.expectGiven(to: "d", from: before, joined)

            // when
            try await cluster.stop("d")
            let left = try await cluster.untilDivided(among: ["a", "c"])
            // then
            try self.expectTaken(from: "d", joined, left)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func whoFlapsIsGivenNothingBeforeItLastsAndNothingMovesBetweenTheOthers() async throws {
        let cluster = try await MembershipCluster(["a", "b", "c"], settling: Self.settling)
        try await cluster.run {
            // given
            try await cluster.start("a")
            try await cluster.start("b")
            _ = try await cluster.untilDivided(among: ["a", "b"])
            try await cluster.start("c")
            let before = try await cluster.untilDivided(among: ["a", "b", "c"])

            // when
            try await cluster.kill("c")
            let taken = try await cluster.untilDivided(among: ["a", "b"])
            // then
            try self.expectTaken(from: "c", before, taken)

            // when: it comes back, and is killed when the others have seen it
            for _ in 0..<3 {
                let owners = try await cluster.flap("c")
                // then
                #expect(owners == taken)
            }

            // when: it stays for twice as long as was enough when it was new
            try await cluster.start("c")
            try await cluster.untilBeaten(2 * Self.settling, by: "c")
            // then: it still has to prove that it lasts
            #expect(try await cluster.owners() == taken)
            // when
            let after = try await cluster.untilDivided(among: ["a", "b", "c"])
            // then
            self.expectGiven(to: "c", from: taken, after)
        }
    }

    /// What the test above holds against a node that flaps does show when shards move.
    @Test(.timeLimit(.minutes(10)))
    func whoNeedNotLastIsGivenShardsWhenItFlaps() async throws {
        // given: nodes that are given shards as soon as the others see them
        let cluster = try await MembershipCluster(["a", "b"], settling: 0)
        try await cluster.run {
            try await cluster.start("a")
            let before = try await cluster.untilDivided(among: ["a"])
            // when, then: at once, or later where the machine was busy with other things
            while try await cluster.flap("b") == before {}
        }
    }
}
