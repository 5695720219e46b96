import EventLog
import Ownership
import Testing

/// What a run makes of what it hears about one shard.
@Suite struct ShardTenureTests {
    private static let shard = ShardID(rawValue: 3)
    private static let run = ShardRecord.Owner(node: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 1))
    private static let other = ShardRecord.Owner(node: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: 2))

    private static func ownership(_ epoch: Int64, head: Int64 = 10) -> ShardOwnership {
        ShardOwnership(
            shard: self.shard, epoch: Epoch(rawValue: epoch), incarnation: self.run.incarnation,
            head: LogSequence(rawValue: head), lastRecordedAt: 0)
    }

    private static func row(_ epoch: Int64, _ owner: ShardRecord.Owner?, head: Int64 = 10) -> ShardRecord {
        ShardRecord(
            shard: self.shard, epoch: Epoch(rawValue: epoch), owner: owner, head: LogSequence(rawValue: head))
    }

    /// Owned under epoch 5, with ten events.
    private static func owned(soleFrom: Duration = .zero) -> ShardTenure {
        var tenure = ShardTenure()
        let mayGoOn = tenure.own(self.ownership(5), soleFrom: soleFrom)
        #expect(mayGoOn)
        return tenure
    }

    private let five = Epoch(rawValue: 5)
    private let four = Epoch(rawValue: 4)

    @Test("a shard that was never owned is answered by others, until a row names this run")
    func beginsAbsent() {
        let tenure = ShardTenure()
        #expect(tenure.epoch == nil && tenure.standing == nil && !tenure.mayAnswer(at: .zero))
        #expect(tenure.finding(Self.row(0, nil), by: Self.run) == .asKnown)
        #expect(tenure.finding(Self.row(1, Self.other), by: Self.run) == .asKnown)
        #expect(tenure.finding(Self.row(2, Self.run), by: Self.run) == .gained)
    }

    @Test("nothing is answered while somebody before may answer still, by whichever end is known to be the first")
    func waits() {
        var tenure = Self.owned(soleFrom: .seconds(9))
        #expect(tenure.wait(at: .seconds(2)) == .seconds(7) && !tenure.mayAnswer(at: .seconds(8)))
        #expect(tenure.mayAnswer(at: .seconds(9)))
        // when
        tenure.shortenWait(until: .seconds(5))
        tenure.shortenWait(until: .seconds(7))
        // then
        #expect(tenure.wait(at: .seconds(2)) == .seconds(3))
        let isEarly = tenure.endWait(at: .seconds(4))
        #expect(!isEarly && !tenure.isSole)
        let isOver = tenure.endWait(at: .seconds(5))
        #expect(isOver && tenure.isSole && tenure.mayAnswer(at: .zero))
        // Taken again, it is as it was.
        let mayGoOn = tenure.own(Self.ownership(6), soleFrom: nil)
        #expect(mayGoOn && tenure.isSole)
    }

    @Test("what is told of another epoch has nothing to do with it")
    func goesByEpochs() {
        var tenure = Self.owned()
        let before = tenure
        tenure.advance(to: LogSequence(rawValue: 12), under: self.four)
        let (froze, went, gave) = (
            tenure.freeze(under: self.four), tenure.letGo(under: self.four), tenure.handOver(under: self.four)
        )
        tenure.keep(under: self.four)
        #expect(!froze && !went && !gave && tenure == before)
        // when
        tenure.advance(to: LogSequence(rawValue: 12), under: self.five)
        // then
        #expect(tenure.standing?.head == LogSequence(rawValue: 12))
    }

    @Test("frozen it answers nothing until it is owned under a later epoch, or let go")
    func freezes() {
        var tenure = Self.owned()
        let (begins, again) = (tenure.freeze(under: self.five), tenure.freeze(under: self.five))
        #expect(begins && !again, "one who finds it out is enough")
        #expect(!tenure.mayAnswer(at: .seconds(1)) && tenure.epoch == self.five)
        #expect(tenure.finding(Self.row(6, Self.run), by: Self.run) == .gained)
        #expect(tenure.finding(Self.row(6, Self.other), by: Self.run) == .lost)
        // when
        var lost = tenure
        let (mayGoOn, went) = (tenure.own(Self.ownership(6), soleFrom: nil), lost.letGo(under: self.five))
        // then
        #expect(mayGoOn && tenure.mayAnswer(at: .seconds(1)))
        #expect(went && lost.epoch == nil && !lost.mayAnswer(at: .seconds(1)))
    }

    @Test("a store that gives an epoch away again, or lacks events, is the end of the run, even of what was let go")
    func seesRewinds() {
        var tenure = Self.owned()
        #expect(tenure.finding(Self.row(5, Self.run, head: 9), by: Self.run) == .rewound)
        #expect(tenure.finding(Self.row(4, Self.other), by: Self.run) == .rewound)
        #expect(tenure.finding(Self.row(5, Self.run, head: 11), by: Self.run) == .asKnown)
        // when
        _ = tenure.letGo(under: self.five)
        let before = tenure
        // then: others may have lost it, and this run what it knew
        #expect(tenure.finding(Self.row(4, Self.other), by: Self.run) == .asKnown)
        for ownership in [Self.ownership(5), Self.ownership(6, head: 9)] {
            let mayGoOn = tenure.own(ownership, soleFrom: .zero)
            #expect(!mayGoOn && tenure == before)
        }
    }

    @Test("a shard that is given away is answered for until nothing is in flight, and then no more")
    func isHandedOver() {
        var tenure = Self.owned()
        let (epoch, again) = (tenure.drain(), tenure.drain())
        #expect(epoch == self.five && again == nil)
        #expect(tenure.phase == .draining && tenure.mayAnswer(at: .seconds(1)))
        tenure.advance(to: LogSequence(rawValue: 11), under: self.five)
        // when
        let isGone = tenure.handOver(under: self.five)
        // then
        #expect(isGone && tenure.epoch == nil && !tenure.mayAnswer(at: .seconds(1)))
        #expect(tenure.finding(Self.row(6, Self.other, head: 11), by: Self.run) == .asKnown)
        #expect(tenure.finding(Self.row(5, Self.run, head: 11), by: Self.run) == .gained, "it was not given, after all")
    }

    @Test(
        "what comes between keeps it from being given away",
        arguments: ["frozen", "taken again", "let go", "kept"])
    func isNotHandedOver(_ what: String) {
        var tenure = Self.owned()
        _ = tenure.drain()
        switch what {
        case "frozen": _ = tenure.freeze(under: self.five)
        case "taken again": _ = tenure.own(Self.ownership(6), soleFrom: nil)
        case "let go": _ = tenure.letGo(under: self.five)
        default: tenure.keep(under: self.five)
        }
        let before = tenure
        // when
        let isGone = tenure.handOver(under: self.five)
        tenure.keep(under: self.five)
        // then
        #expect(!isGone && tenure == before && tenure.phase != .draining)
    }
}
