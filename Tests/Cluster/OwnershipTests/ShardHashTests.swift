import EventLog
import Ownership
import Testing

@Suite struct ShardHashTests {
    @Test(arguments: [0, 1, 8, 15, 17, 24, 255, 257, 4_095, 8_192, -16])
    func refusesOtherCounts(_ count: Int) {
        #expect(ShardHash(shardCount: count) == nil)
    }

    @Test(arguments: [
        // printf %s ID | sha256sum, its first digits read as a binary fraction of the shard count
        ("2000000000000001", 0x10), ("1", 0x6b), ("test:com.example.app", 0x55),
    ])
    func takesTheTopBitsOfTheHashOfTheID(_ id: String, _ expected: UInt16) throws {
        let map = try #require(ShardHash(shardCount: 256))
        #expect(map.shard(of: id) == ShardID(rawValue: expected))
    }

    @Test(arguments: [16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096])
    func spreadsIDsEvenly(_ count: Int) throws {
        // given
        let map = try #require(ShardHash(shardCount: count))
        var perShard = [Int](repeating: 0, count: count)
        // when
        for number in 0..<(count * 100) {
            perShard[Int(map.shard(of: String(2_000_000_000_000_000 + number)).rawValue)] += 1
        }
        // then: a binomial of mean 100, so ten standard deviations
        #expect(perShard.allSatisfy { (20...200).contains($0) })
        #expect(map.shards.count == count)
    }

    @Test func aCoarserMapGroupsTheShardsOfAFinerOne() throws {
        let coarse = try #require(ShardHash(shardCount: 16))
        let fine = try #require(ShardHash(shardCount: 4_096))
        for number in 0..<1_000 {
            #expect(coarse.shard(of: "\(number)").rawValue == fine.shard(of: "\(number)").rawValue >> 8)
        }
    }
}
