import EventLog
import Mirroring
import Ownership
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct MirrorProgressTests {
    private let fixture = MirrorFixture()
    private let key = MirrorFixture.key("2000000000000001")
    private var shard: ShardID { self.fixture.map.shard(of: self.key.id) }

    @Test("an answer is stale until its shard is current, and again when it has not been for longer than the bound")
    func staleness() throws {
        let (mirror, origin) = (self.fixture.mirror, self.fixture.origin)
        try self.fixture.apply(self.key, .simple(1))
        #expect(self.fixture.check(self.key).isStale)
        for shard in self.fixture.map.shards where shard != self.shard {
            mirror.setCurrent(shard, asOf: origin + .seconds(60))
        }
        #expect(self.fixture.check(self.key, after: .seconds(60)).isStale)
        mirror.setCurrent(self.shard, asOf: origin + .seconds(10))
        mirror.setCurrent(self.shard, asOf: origin + .seconds(4))
        #expect(!self.fixture.check(self.key, after: .seconds(10)).isStale)
        #expect(!self.fixture.check(self.key, after: .seconds(12)).isStale)
        #expect(self.fixture.check(self.key, after: .seconds(12) + .nanoseconds(1)).isStale)
    }

    @Test("whether there is nothing is as fresh as the shard that would have it")
    func stalenessOfNothing() throws {
        for shard in self.fixture.map.shards where shard != self.shard {
            self.fixture.mirror.setCurrent(shard, asOf: self.fixture.origin)
        }
        #expect(self.fixture.check(self.key).isStale)
        let other = try #require(
            (1...).lazy.map { MirrorFixture.key("x\($0)") }.first { self.fixture.map.shard(of: $0.id) != self.shard })
        #expect(!self.fixture.check(other).isStale)
        self.fixture.mirror.setCurrent(self.shard, asOf: self.fixture.origin)
        #expect(!self.fixture.check(self.key).isStale)
    }

    @Test("that nothing was found counts when the shard had come before it was asked")
    func settling() throws {
        // Given an answer from before anything has come
        let mirror = self.fixture.mirror
        let early = self.fixture.check(self.key)
        #expect(early.outcome == .unknown)
        let unsettled = mirror.settled(early, of: self.key.id) { self.fixture.check(self.key) }
        #expect(unsettled == nil)
        // When all comes just then
        try self.fixture.apply(self.key, .simple(1))
        mirror.setCurrent(self.shard, asOf: self.fixture.origin)
        // Then
        let settled = mirror.settled(early, of: self.key.id) { self.fixture.check(self.key) }
        #expect(settled?.outcome == .found)
        #expect(settled?.entitled == true)
        // And what is not there is found nowhere.
        let purchase = MirrorFixture.key(self.key.id, kind: .purchase)
        let nothing = mirror.settled(self.fixture.check(purchase), of: purchase.id) { self.fixture.check(purchase) }
        #expect(nothing?.outcome == .unknown)
    }

    @Test("each shard has its position")
    func positions() {
        #expect(self.fixture.mirror.position(of: self.shard) == Self.position(self.shard, 0, 0))
        for (number, shard) in self.fixture.map.shards.enumerated() {
            for step in 0..<3 {
                self.fixture.mirror.setPosition(Self.position(shard, Int64(number * 10 + step), UInt32(number)))
            }
        }
        for (number, shard) in self.fixture.map.shards.enumerated() {
            #expect(
                self.fixture.mirror.position(of: shard) == Self.position(shard, Int64(number * 10 + 2), UInt32(number)))
        }
    }

    @Test("after a rewind lower versions count, and what the new log does not have goes at its end")
    func restart() throws {
        // Given
        let mirror = self.fixture.mirror
        let ids = (1...200).map { "\($0)" }
        let keys = ids.map { MirrorFixture.key($0) }.filter { self.fixture.map.shard(of: $0.id) == self.shard }
        let others = ids.map { MirrorFixture.key($0) }.filter { self.fixture.map.shard(of: $0.id) != self.shard }
        for key in keys + others { try self.fixture.apply(key, .simple(9, product: "old")) }
        for shard in self.fixture.map.shards { mirror.setCurrent(shard, asOf: self.fixture.origin) }
        // When
        mirror.beginRestart(of: self.shard)
        // Then answers go on, and say so.
        for key in keys { #expect(self.fixture.check(key).entitled && self.fixture.check(key).isStale) }
        for key in others { #expect(!self.fixture.check(key).isStale) }
        #expect(mirror.position(of: self.shard) == Self.position(self.shard, 0, 0))
        // When the new snapshot has all but one
        for key in keys.dropFirst() {
            #expect(try self.fixture.apply(key, .simple(3, product: "new")))
            #expect(try !self.fixture.apply(key, .simple(2, product: "late")))
        }
        #expect(try !self.fixture.apply(others[0], .simple(3, product: "new")))
        mirror.endRestart(of: self.shard)
        // Then
        let gone = try #require(keys.first)
        #expect(self.fixture.check(gone).outcome == .unknown && !self.fixture.check(gone).entitled)
        for key in keys.dropFirst() { #expect(mirror.productID(of: self.fixture.check(key)) == "new") }
        for key in others { #expect(mirror.productID(of: self.fixture.check(key)) == "old") }
        #expect(try self.fixture.apply(gone, .simple(1)))
        #expect(self.fixture.check(gone).entitled)
    }

    private static func position(_ shard: ShardID, _ sequence: Int64, _ tag: UInt32) -> Position {
        Position(shard: shard, sequence: LogSequence(rawValue: sequence), incarnationTag: tag)
    }
}
