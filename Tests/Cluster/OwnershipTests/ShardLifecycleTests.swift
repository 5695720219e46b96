import EventLog
import Ownership
import PerennialTestSupport
import Testing

/// What a run makes of what it hears about one shard.
@Suite struct ShardLifecycleTests {
    static let shard = ShardID(rawValue: 3)
    static let run = ShardRecord.Owner(node: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1))
    static let other = ShardRecord.Owner(node: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: 2))

    static func ownership(_ epoch: Int64, head: Int64 = 10) -> ShardOwnership {
        ShardOwnership(
            shard: self.shard, epoch: Epoch(rawValue: epoch), incarnation: self.run.incarnation,
            head: LogSequence(rawValue: head), lastRecordedAt: 0)
    }

    private static func row(_ epoch: Int64, _ owner: ShardRecord.Owner?, head: Int64 = 10) -> ShardRecord {
        ShardRecord(
            shard: self.shard, epoch: Epoch(rawValue: epoch), owner: owner, head: LogSequence(rawValue: head))
    }

    /// Owned under epoch 5, with ten events.
    private static func owned(exclusiveFrom: Duration = .zero) -> ShardLifecycle {
        var lifecycle = ShardLifecycle()
        lifecycle.takeAndApply(.stored(.owned(self.ownership(5), exclusiveFrom: exclusiveFrom)))
        #expect(lifecycle.stored.epoch == self.five && lifecycle.applied.epoch == self.five)
        return lifecycle
    }

    private static let five = Epoch(rawValue: 5)

    @Test func `a shard that was never owned is answered by others, until a row names this run`() {
        let lifecycle = ShardLifecycle()
        #expect(lifecycle.stored.epoch == nil && lifecycle.stored.standing == nil && !lifecycle.mayAnswer(at: .zero))
        #expect(lifecycle.finding(Self.row(0, nil), by: Self.run) == .asKnown)
        #expect(lifecycle.finding(Self.row(1, Self.other), by: Self.run) == .asKnown)
        #expect(lifecycle.finding(Self.row(2, Self.run), by: Self.run) == .gained)
    }

    @Test func `nothing is answered while an earlier owner may still answer`() {
        var lifecycle = Self.owned(exclusiveFrom: .seconds(9))
        #expect(lifecycle.wait(at: .seconds(2)) == .seconds(7) && !lifecycle.mayAnswer(at: .seconds(8)))
        #expect(lifecycle.mayAnswer(at: .seconds(9)))
        // when
        let (isShorter, isLonger) = (
            lifecycle.takeAndApply(.waitShortened(until: .seconds(5))),
            lifecycle.takeAndApply(.waitShortened(until: .seconds(7)))
        )
        // then
        #expect(isShorter && !isLonger && lifecycle.wait(at: .seconds(2)) == .seconds(3))
        let isEarly = lifecycle.takeAndApply(.waited(until: .seconds(4)))
        #expect(!isEarly && !lifecycle.isExclusive)
        let isOver = lifecycle.takeAndApply(.waited(until: .seconds(5)))
        #expect(isOver && lifecycle.isExclusive && lifecycle.mayAnswer(at: .zero))
        // Owned again, it is as it was.
        lifecycle.takeAndApply(.stored(.owned(Self.ownership(6), exclusiveFrom: nil)))
        #expect(lifecycle.isExclusive && lifecycle.mayAnswer(at: .zero))
    }

    @Test func `a store that gives an epoch away again, or lacks events, is the end of the run`() {
        var lifecycle = Self.owned()
        #expect(lifecycle.finding(Self.row(5, Self.run, head: 9), by: Self.run) == .rewound)
        #expect(lifecycle.finding(Self.row(4, Self.other), by: Self.run) == .rewound)
        #expect(lifecycle.finding(Self.row(5, Self.run, head: 11), by: Self.run) == .asKnown)
        // when
        lifecycle.takeAndApply(.stored(.released(under: Self.five)))
        let before = lifecycle
        // then: others may have lost it, and this run what it knew
        #expect(lifecycle.finding(Self.row(4, Self.other), by: Self.run) == .asKnown)
        for ownership in [Self.ownership(5), Self.ownership(6, head: 9)] {
            let isTaken = lifecycle.takeAndApply(.stored(.owned(ownership, exclusiveFrom: .zero)))
            #expect(!isTaken && lifecycle == before)
        }
    }

    @Test func `a wait counts from when the store has said it, and goes on where a shard is owned again`() {
        var lifecycle = ShardLifecycle()
        _ = lifecycle.handle(.stored(.owned(Self.ownership(5), exclusiveFrom: .seconds(9))))
        #expect(lifecycle.wait(at: .zero) == .seconds(9))
        lifecycle.takeAndApply(.stored(.owned(Self.ownership(6), exclusiveFrom: nil)))
        #expect(lifecycle.wait(at: .zero) == .seconds(9) && !lifecycle.mayAnswer(at: .seconds(8)))
    }

    @Test func `whoever hands a shard over has its writer release it`() {
        var lifecycle = Self.owned()
        lifecycle.takeAndApply(.draining)
        let actions = lifecycle.handle(.handedOver(under: Self.five))
        #expect(actions?.writer == .released(under: Self.five))
    }

    @Test func `a frozen shard is found again by a row of a later epoch`() {
        var lifecycle = Self.owned()
        lifecycle.takeAndApply(.stored(.frozen(under: Self.five)))
        #expect(lifecycle.finding(Self.row(6, Self.run), by: Self.run) == .gained)
        #expect(lifecycle.finding(Self.row(6, Self.other), by: Self.run) == .lost)
    }

    @Test func `a row shows whether a shard was handed over`() {
        var lifecycle = Self.owned()
        lifecycle.takeAndApply(.draining)
        lifecycle.takeAndApply(.stored(.appended(head: LogSequence(rawValue: 11), under: Self.five)))
        #expect(lifecycle.mayAnswer(at: .seconds(1)))
        // when
        let isGone = lifecycle.takeAndApply(.handedOver(under: Self.five))
        // then
        #expect(isGone && !lifecycle.mayAnswer(at: .seconds(1)))
        #expect(lifecycle.finding(Self.row(6, Self.other, head: 11), by: Self.run) == .asKnown)
        // It was not given, after all.
        #expect(lifecycle.finding(Self.row(5, Self.run, head: 11), by: Self.run) == .gained)
    }

    @Test func `a batch may be committed under the present epoch alone`() {
        var lifecycle = Self.owned()
        #expect(lifecycle.mayCommit(under: Self.five) && !lifecycle.mayCommit(under: Epoch(rawValue: 4)))
        // What is in flight is still committed.
        for event in [ShardEvent.draining, .stored(.frozen(under: Self.five))] {
            _ = lifecycle.handle(event)
            #expect(lifecycle.mayCommit(under: Self.five))
        }
        // when: known to the store, not yet to the writer
        _ = lifecycle.handle(.stored(.owned(Self.ownership(6), exclusiveFrom: nil)))
        #expect(!lifecycle.mayCommit(under: Self.five))
        _ = lifecycle.handle(.stored(.released(under: Epoch(rawValue: 6))))
        #expect(!lifecycle.mayCommit(under: Epoch(rawValue: 6)))
    }
}
