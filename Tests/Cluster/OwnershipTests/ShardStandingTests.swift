import EventLog
import Ownership
import Testing

/// What an owner makes of what the store says, when it knows that the store had said more.
@Suite struct ShardStandingTests {
    private static let shard = ShardID(rawValue: 3)
    private let standing = ShardStanding(
        epoch: Epoch(rawValue: 5), incarnation: Incarnation(rawValue: 1), head: LogSequence(rawValue: 10))

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var epoch: Int64 = 5
        var incarnation: Int64? = 1
        var head: Int64 = 10
        var isConsistent: Bool
    }

    @Test(arguments: [
        Row(testDescription: "the row is as it was", isConsistent: true),
        Row(testDescription: "the log has grown", head: 11, isConsistent: true),
        Row(testDescription: "another run has taken the shard", epoch: 6, incarnation: 2, head: 10, isConsistent: true),
        Row(testDescription: "the log is shorter", head: 9, isConsistent: false),
        Row(testDescription: "the epoch is another run's", incarnation: 2, isConsistent: false),
        Row(testDescription: "the epoch is nobody's", incarnation: nil, isConsistent: false),
        Row(testDescription: "the epoch has gone back", epoch: 4, isConsistent: false),
        Row(testDescription: "the epoch before was another's", epoch: 4, incarnation: 2, head: 11, isConsistent: false),
    ])
    func isHeldAgainst(_ row: Row) {
        let owner = row.incarnation.map {
            ShardRecord.Owner(node: NodeID(rawValue: "node"), incarnation: Incarnation(rawValue: $0))
        }
        let record = ShardRecord(
            shard: Self.shard, epoch: Epoch(rawValue: row.epoch), owner: owner, head: LogSequence(rawValue: row.head))
        #expect(self.standing.isConsistent(with: record) == row.isConsistent)
    }

    @Test(
        "a run claims a shard again only under a later epoch, with all that it knows of the log",
        arguments: [
            (epoch: Int64(6), head: Int64(10), mayPrecede: true), (7, 12, true), (6, 9, false), (5, 10, false),
            (4, 11, false),
        ])
    func isClaimedAgain(_ claim: (epoch: Int64, head: Int64, mayPrecede: Bool)) {
        let ownership = ShardOwnership(
            shard: Self.shard, epoch: Epoch(rawValue: claim.epoch), incarnation: Incarnation(rawValue: 1),
            head: LogSequence(rawValue: claim.head), lastRecordedAt: 0)
        #expect(self.standing.mayPrecede(ownership) == claim.mayPrecede)
    }
}
