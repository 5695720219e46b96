import EventLog
import Ownership
import Testing

/// Where shards go when nodes come and go.
@Suite struct PlacementTests {
    private static let shardCount = 256
    private static let shards = (0..<UInt16(shardCount)).map(ShardID.init(rawValue:))

    private func nodes(_ numbers: ClosedRange<Int>) -> Set<NodeID> {
        Set(numbers.map { NodeID(rawValue: "node-\($0)") })
    }

    private func ownerless() -> [ShardID: NodeID?] {
        Dictionary(uniqueKeysWithValues: Self.shards.map { ($0, nil) })
    }

    /// All shards, as a cluster that starts takes them.
    private func settled(_ living: Set<NodeID>) -> [ShardID: NodeID] {
        Placement(owners: self.ownerless(), living: living, steady: []).taken
    }

    private func placement(_ owners: [ShardID: NodeID], living: Set<NodeID>, steady: Set<NodeID>) -> Placement {
        // Whoever does not live owns nothing.
        Placement(owners: owners.mapValues { living.contains($0) ? $0 : nil }, living: living, steady: steady)
    }

    private func applying(_ placement: Placement, to owners: [ShardID: NodeID]) -> [ShardID: NodeID] {
        var owners = owners.merging(placement.taken) { $1 }
        for move in placement.moves { owners[move.shard] = move.to }
        return owners
    }

    private func loads(_ owners: [ShardID: NodeID]) -> [NodeID: Int] {
        owners.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Plan after plan until there is nothing left to do.
    /// - Parameter transfersAtATime: how many an owner makes of each plan.
    private func resting(
        _ owners: [ShardID: NodeID], living: Set<NodeID>, transfersAtATime: Int
    ) -> (owners: [ShardID: NodeID], moves: [Placement.Move]) {
        var owners = owners
        var moves: [Placement.Move] = []
        while true {
            let placement = self.placement(owners, living: living, steady: living)
            if placement.taken.isEmpty, placement.moves.isEmpty { return (owners, moves) }
            owners.merge(placement.taken) { $1 }
            for transfers in Dictionary(grouping: placement.moves, by: \.from).values {
                for gift in transfers.prefix(transfersAtATime) { owners[gift.shard] = gift.to }
                moves += transfers.prefix(transfersAtATime)
            }
        }
    }

    /// A tenth above an equal share, rounded up.
    private func bound(_ nodes: Int) -> Int { (Self.shardCount * 11 + nodes * 10 - 1) / (nodes * 10) }

    /// Who takes a shard when there is no other.
    private func first(of nodes: Set<NodeID>, for shard: ShardID) -> NodeID? {
        Placement(owners: [shard: nil], living: nodes, steady: []).taken[shard]
    }

    // MARK: Without an owner

    @Test(
        "every shard without an owner goes to somebody, and nobody holds more than a tenth above an equal share",
        arguments: 1...12)
    func placesAll(_ count: Int) {
        // when
        let owners = self.settled(self.nodes(1...count))
        // then
        #expect(owners.count == Self.shardCount)
        #expect(self.loads(owners).values.allSatisfy { $0 <= self.bound(count) })
    }

    @Test("without a living node nothing is placed")
    func placesNothingNowhere() {
        // when
        let placement = Placement(owners: self.ownerless(), living: [], steady: [])
        // then
        #expect(placement.taken.isEmpty)
        #expect(placement.moves.isEmpty)
    }

    @Test("the plan depends on the rows alone, not on the order in which they come")
    func isDeterministic() {
        // given: the same in dictionaries and sets that grew differently
        let living = self.nodes(1...5)
        var owners: [ShardID: NodeID?] = [:]
        var backwards: [ShardID: NodeID?] = Dictionary(minimumCapacity: 5_000)
        var livingBackwards = Set<NodeID>(minimumCapacity: 500)
        let owner = { (shard: ShardID) in
            shard.rawValue.isMultiple(of: 3) ? nil : NodeID(rawValue: "node-\(shard.rawValue % 2 + 1)")
        }
        for shard in Self.shards { owners[shard] = .some(owner(shard)) }
        for shard in Self.shards.reversed() { backwards[shard] = .some(owner(shard)) }
        for node in living.sorted(by: { $0.rawValue > $1.rawValue }) { livingBackwards.insert(node) }
        // when
        let placement = Placement(owners: owners, living: living, steady: living)
        let other = Placement(owners: backwards, living: livingBackwards, steady: livingBackwards)
        // then
        #expect(!placement.taken.isEmpty)
        #expect(!placement.moves.isEmpty)
        #expect(placement.taken == other.taken)
        #expect(placement.moves == other.moves)
    }

    // MARK: Leaving and joining

    @Test("a node that leaves moves exactly its own shards", arguments: 1...4)
    func aNodeLeaves(_ number: Int) {
        // given
        let before = self.settled(self.nodes(1...4))
        let leaving = NodeID(rawValue: "node-\(number)")
        // when
        let living = self.nodes(1...4).subtracting([leaving])
        let placement = self.placement(before, living: living, steady: living)
        // then
        #expect(Set(placement.taken.keys) == Set(before.filter { $0.value == leaving }.keys))
        #expect(placement.moves.isEmpty)
        #expect(self.loads(self.applying(placement, to: before)).values.allSatisfy { $0 <= self.bound(3) })
    }

    @Test("a node that joins is given its share, and nothing moves between the others", arguments: 1...4)
    func aNodeJoins(_ number: Int) {
        // given
        let joining = NodeID(rawValue: "node-\(number)")
        let living = self.nodes(1...4)
        let before = self.settled(living.subtracting([joining]))
        // when
        let placement = self.placement(before, living: living, steady: living)
        // then
        let share = Self.shardCount * 10 / (4 * 11)
        let outranked = before.filter { self.first(of: [$0.value, joining], for: $0.key) == joining }.count
        #expect(placement.taken.isEmpty)
        #expect(placement.moves.allSatisfy { $0.to == joining && before[$0.shard] == $0.from })
        #expect(placement.moves.count >= min(share - 1, outranked))
        #expect(placement.moves.count <= Self.shardCount / 4)
        #expect(self.loads(self.applying(placement, to: before)).values.allSatisfy { $0 <= self.bound(4) })
    }

    @Test(
        "whoever comes, dies or returns, the others exchange nothing",
        arguments: [2, 3, 4, 5, 6, 11], [4, shardCount])
    func theOthersExchangeNothing(_ count: Int, transfersAtATime: Int) {
        for cluster in 1...5 {
            let nodes = (1...count).map { NodeID(rawValue: "node-\(cluster)-\($0)") }
            var owners: [ShardID: NodeID] = Dictionary(uniqueKeysWithValues: Self.shards.map { ($0, nodes[0]) })
            for (index, joining) in nodes.enumerated() {
                let grown = self.resting(owners, living: Set(nodes[...index]), transfersAtATime: transfersAtATime)
                #expect(grown.moves.allSatisfy { $0.to == joining })
                owners = grown.owners
            }
            for node in nodes {
                let left = self.resting(
                    owners, living: Set(nodes).subtracting([node]), transfersAtATime: transfersAtATime)
                #expect(left.moves.isEmpty, "\(node.rawValue) has left")
                let early = self.placement(
                    left.owners, living: Set(nodes), steady: Set(nodes).subtracting([node]))
                #expect(early.moves.isEmpty, "\(node.rawValue) has come back, and may not last")
                let back = self.resting(left.owners, living: Set(nodes), transfersAtATime: transfersAtATime)
                #expect(back.moves.allSatisfy { $0.to == node }, "\(node.rawValue) has come back")
                owners = back.owners
            }
        }
    }

    @Test("what has no owner goes first to those who would otherwise have to be given something")
    func keepsWhatIsLacked() {
        // given: a node that owns half of the shards, and is first for the other half as well
        let living = self.nodes(1...2)
        let needy = NodeID(rawValue: "node-2")
        let lost = Self.shards.filter { self.first(of: living, for: $0) != needy }.prefix(Self.shardCount / 2)
        let owners = Dictionary(
            uniqueKeysWithValues: Self.shards.map { ($0, lost.contains($0) ? nil : NodeID(rawValue: "node-1")) })
        // when
        let placement = Placement(owners: owners, living: living, steady: living)
        // then: just as much as it may not lack
        #expect(placement.taken.values.filter { $0 == needy }.count == Self.shardCount * 10 / 22)
        #expect(placement.moves.isEmpty)
    }

    @Test("no shard moves twice in one plan")
    func movesOnce() {
        // given
        let living = self.nodes(1...6)
        // when
        let placement = self.placement(self.settled(self.nodes(1...2)), living: living, steady: living)
        // then
        #expect(!placement.moves.isEmpty)
        #expect(Set(placement.moves.map(\.shard)).count == placement.moves.count)
    }

    // MARK: Balance

    @Test("nothing moves while all hold about as much", arguments: 1...12)
    func staysBalanced(_ count: Int) {
        // given
        let living = self.nodes(1...count)
        // then
        #expect(self.placement(self.settled(living), living: living, steady: living).moves.isEmpty)
    }

    @Test("after the moves of a plan there is nothing left to move", arguments: 1...8)
    func comesToRest(_ joined: Int) {
        // given
        let living = self.nodes(1...joined + 2)
        let before = self.settled(self.nodes(1...2))
        // when
        let after = self.applying(self.placement(before, living: living, steady: living), to: before)
        // then
        #expect(self.placement(after, living: living, steady: living).moves.isEmpty)
    }

    @Test("who owns everything gives away until he holds no more than a tenth above an equal share")
    func givesAway() {
        // given
        let living = self.nodes(1...3)
        let rich = NodeID(rawValue: "node-2")
        let before = Dictionary(uniqueKeysWithValues: Self.shards.map { ($0, rich) })
        // when
        let placement = self.placement(before, living: living, steady: living)
        // then
        let loads = self.loads(self.applying(placement, to: before))
        #expect(placement.moves.allSatisfy { $0.from == rich })
        #expect(loads[rich] == self.bound(3))
        #expect(loads.values.allSatisfy { $0 <= self.bound(3) })
    }

    @Test("only steady nodes are given what another serves")
    func givesToSteadyNodesOnly() {
        // given
        let living = self.nodes(1...4)
        let steady = self.nodes(1...3)
        let before = Dictionary(uniqueKeysWithValues: Self.shards.map { ($0, NodeID(rawValue: "node-1")) })
        // when
        let placement = self.placement(before, living: living, steady: steady)
        // then
        #expect(Set(placement.moves.map(\.to)) == self.nodes(2...3))
        #expect(self.placement(before, living: living, steady: []).moves.isEmpty)
    }
}
