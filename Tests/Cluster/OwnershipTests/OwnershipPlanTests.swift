import EventLog
import Ownership
import Testing

/// What a node does about ownership after a reading.
@Suite struct OwnershipPlanTests {
    private static let lease = Duration.seconds(10)

    private let terms = LeaseTerms(length: lease)
    private let me = NodeID(rawValue: "me")
    private let peer = NodeID(rawValue: "peer")
    private let other = NodeID(rawValue: "other")

    private func owner(_ node: NodeID, incarnation: Int64 = 1) -> ShardRecord.Owner {
        ShardRecord.Owner(node: node, incarnation: Incarnation(rawValue: incarnation))
    }

    private func status(
        _ node: NodeID, _ life: NodeStatus.Life = .live, incarnation: Int64 = 1, beat: Int64 = 0,
        lease: Duration = lease
    ) -> NodeStatus {
        NodeStatus(
            record: NodeRecord(id: node, incarnation: Incarnation(rawValue: incarnation)),
            liveEpoch: LiveEpoch(rawValue: 1), beat: beat, lease: lease, life: life)
    }

    private func rows(_ owners: [ShardRecord.Owner?]) -> [ShardRecord] {
        owners.enumerated().map { number, owner in
            ShardRecord(
                shard: ShardID(rawValue: UInt16(number)), epoch: Epoch(rawValue: 5), owner: owner, head: .zero)
        }
    }

    /// Has seen the nodes at each of these seconds, the last time just now.
    private func plan(
        _ view: ClusterView, incarnation: Int64 = 1, seconds: ClosedRange<Int>, transfersAtATime: Int = 2
    ) -> OwnershipPlan {
        var watch = PeerWatch(terms: self.terms)
        for second in seconds { watch.observe(view.nodes, askedAt: .seconds(second), at: .seconds(second)) }
        return OwnershipPlan(
            view, by: self.owner(self.me, incarnation: incarnation), watch: watch, at: .seconds(seconds.upperBound),
            transfersAtATime: transfersAtATime)
    }

    // MARK: Who plans

    @Test("a run that the view does not show living plans nothing", arguments: [NodeStatus.Life.deposed, .left])
    func thoseTakenForDeadPlanNothing(_ life: NodeStatus.Life) {
        // given
        let nodes = [self.status(self.me, life), self.status(self.peer)]
        let view = ClusterView(nodes: nodes, shards: self.rows([nil, self.owner(self.me)]))
        // when
        let plan = self.plan(view, seconds: 0...100)
        // then
        #expect(plan.silent.isEmpty)
        #expect(plan.claims.isEmpty)
        #expect(plan.transfers.isEmpty)
    }

    @Test("a run whose node goes on as another run plans nothing, nor does one that is not registered yet")
    func otherRunsPlanNothing() {
        // given
        let view = ClusterView(
            nodes: [self.status(self.me), self.status(self.peer)], shards: self.rows([nil, self.owner(self.me)]))
        // when
        let plan = self.plan(view, incarnation: 2, seconds: 0...100)
        // then
        #expect(plan.silent.isEmpty)
        #expect(plan.claims.isEmpty)
        #expect(plan.transfers.isEmpty)
    }

    // MARK: Silence

    @Test("silent peers are named as they were seen, and oneself is not")
    func namesTheSilent() {
        // given
        let silent = self.status(self.peer, incarnation: 7, beat: 41)
        let view = ClusterView(nodes: [self.status(self.me), silent], shards: [])
        // then
        #expect(self.plan(view, seconds: 100...109).silent.isEmpty)
        #expect(self.plan(view, seconds: 100...110).silent == [silent])
    }

    @Test(
        "who was taken for dead or has left is not taken for dead again",
        arguments: [NodeStatus.Life.deposed, .left])
    func namesOnlyTheLiving(_ life: NodeStatus.Life) {
        // given
        let view = ClusterView(nodes: [self.status(self.me), self.status(self.peer, life)], shards: [])
        // then
        #expect(self.plan(view, seconds: 0...100).silent.isEmpty)
    }

    @Test("what a silent node owns is nobody else's before the store says that it was taken for dead")
    func leavesTheSilentTheirs() {
        // given
        let nodes = [self.status(self.me), self.status(self.peer)]
        let view = ClusterView(nodes: nodes, shards: self.rows([self.owner(self.peer), self.owner(self.peer)]))
        // when
        let plan = self.plan(view, seconds: 0...100)
        // then
        #expect(plan.silent == [self.status(self.peer)])
        #expect(plan.claims.isEmpty)
    }

    @Test("a silent node is given nothing, and gets nothing that has no owner")
    func givesTheSilentNothing() {
        // given
        let nodes = [self.status(self.me), self.status(self.peer)]
        let mine = ClusterView(
            nodes: nodes, shards: self.rows(Array(repeating: self.owner(self.me), count: 64)))
        let nobodys = ClusterView(nodes: nodes, shards: self.rows(Array(repeating: nil, count: 64)))
        // then
        #expect(self.plan(mine, seconds: 0...100).transfers.isEmpty)
        #expect(self.plan(nobodys, seconds: 0...100).claims == nobodys.shards)
    }

    @Test("who refuses connections and beats no more is named before its lease is over, and gets nothing")
    func namesTheGone() {
        // given
        let peer = self.status(self.peer, incarnation: 7, beat: 41)
        let nodes = [self.status(self.me), peer]
        let view = ClusterView(nodes: nodes, shards: self.rows(Array(repeating: nil, count: 64)))
        var watch = PeerWatch(terms: self.terms)
        var hints = Suspicions()
        for second in 100...110 {
            // when
            hints.noteRefusal(by: peer.owner, at: .seconds(second))
            watch.observe(nodes, askedAt: .seconds(second), at: .seconds(second), hints: hints)
            let plan = OwnershipPlan(
                view, by: self.owner(self.me), watch: watch, at: .seconds(second), transfersAtATime: 2)
            // then: as what it is, once
            #expect(plan.gone == ((102..<110).contains(second) ? [peer] : []))
            #expect(plan.silent == (second == 110 ? [peer] : []))
            #expect((plan.claims == view.shards) == (second >= 102))
        }
    }

    // MARK: Claims

    @Test("only what this node is first for is claimed, and what the others are first for is left to them")
    func claimsItsOwn() {
        // given
        let nodes = [self.status(self.me), self.status(self.peer)]
        let view = ClusterView(nodes: nodes, shards: self.rows(Array(repeating: nil, count: 64)))
        var watch = PeerWatch(terms: self.terms)
        watch.observe(nodes, askedAt: .zero, at: .zero)
        // when
        let claims = [self.me, self.peer].map {
            OwnershipPlan(view, by: self.owner($0), watch: watch, at: .zero, transfersAtATime: 2).claims
        }
        // then
        #expect(claims.allSatisfy { !$0.isEmpty })
        #expect(claims.flatMap(\.self).sorted { $0.shard < $1.shard } == view.shards)
    }

    @Test("what an earlier run, a deposed node or one that left owned is claimed, what the living own is not")
    func claimsFromTheDead() {
        // given: a node alone among dead ones
        let nodes = [
            self.status(self.me, incarnation: 2), self.status(self.peer, .deposed), self.status(self.other, .left),
        ]
        let shards = self.rows([
            self.owner(self.me, incarnation: 1), self.owner(self.me, incarnation: 2), self.owner(self.peer),
            self.owner(self.other), nil,
        ])
        // when
        let plan = self.plan(ClusterView(nodes: nodes, shards: shards), incarnation: 2, seconds: 0...0)
        // then
        #expect(plan.claims == [shards[0], shards[2], shards[3], shards[4]])
    }

    // MARK: Waiting

    @Test("the wait ends with the latest lease of those who were taken for dead")
    func waitsForTheDeposed() {
        // given
        let nodes = [
            self.status(self.me), self.status(self.peer, .deposed, lease: .seconds(30)),
            self.status(self.other, .deposed, lease: .seconds(3)),
        ]
        // then
        #expect(self.plan(ClusterView(nodes: nodes, shards: []), seconds: 100...120).exclusiveFrom == .seconds(130))
    }

    @Test("nobody waits for those who left by themselves, or who live")
    func waitsForNobodyElse() {
        // given
        let nodes = [self.status(self.me), self.status(self.peer, .left), self.status(self.other)]
        // then
        #expect(self.plan(ClusterView(nodes: nodes, shards: []), seconds: 100...101).exclusiveFrom == .zero)
    }

    // MARK: Gifts

    @Test("no more is given at a time than is allowed", arguments: [0, 1, 2, 5])
    func givesLittleAtATime(_ allowed: Int) {
        // given: everything is this node's, and the peer beats
        var watch = PeerWatch(terms: self.terms)
        var view = ClusterView(nodes: [], shards: self.rows(Array(repeating: self.owner(self.me), count: 64)))
        for second in 0...100 {
            view.nodes = [self.status(self.me), self.status(self.peer, beat: Int64(second))]
            watch.observe(view.nodes, askedAt: .seconds(second), at: .seconds(second))
        }
        // when
        let transfers = [self.me, self.peer].map {
            OwnershipPlan(view, by: self.owner($0), watch: watch, at: .seconds(100), transfersAtATime: allowed)
                .transfers
        }
        // then
        #expect(transfers[0].count == allowed)
        #expect(transfers[0].allSatisfy { $0.from == self.me && $0.to == self.peer })
        #expect(transfers[1].isEmpty, "nobody gives what is another's")
    }

    @Test("nothing is given while somebody is silent: what he owns will be there to be taken")
    func givesNothingBesideTheSilent() {
        for isSilent in [false, true] {
            // given: everything is this node's, one peer beats, and the other perhaps does not
            var watch = PeerWatch(terms: self.terms)
            var view = ClusterView(nodes: [], shards: self.rows(Array(repeating: self.owner(self.me), count: 64)))
            for second in 0...100 {
                let beat = Int64(second)
                view.nodes = [
                    self.status(self.me), self.status(self.peer, beat: beat),
                    self.status(self.other, beat: isSilent ? 0 : beat),
                ]
                watch.observe(view.nodes, askedAt: .seconds(second), at: .seconds(second))
            }
            // when
            let plan = OwnershipPlan(
                view, by: self.owner(self.me), watch: watch, at: .seconds(100), transfersAtATime: 2)
            // then
            #expect(plan.silent.map(\.id) == (isSilent ? [self.other] : []))
            #expect(plan.transfers.isEmpty == isSilent)
        }
    }
}
