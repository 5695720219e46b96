import Clustering
import EventLog
import Ownership
import Shards
import Synchronization
import Testing
import WireProtocol

/// The names under which functions of a shard are called, as the compiler gives them.
@Suite struct ShardContractTests {
    @Test func namesEveryFunctionThatACallCanReach() async throws {
        // given: a system whose calls go nowhere, and say their names
        let map = try #require(ShardHash(shardCount: 16))
        let wire = NamingTransport()
        let shard = try ShardEndpoint.resolve(
            id: ShardActorID(shard: ShardID(rawValue: 3)), using: ClusterSystem(shardMap: map, transport: wire))
        // when
        _ = try? await shard.submit(CommandBatch([]))
        _ = try? await shard.check(ShardChecks(wireBytes: []))
        _ = try? await shard.head()
        try? await shard.move(ShardMove(wireBytes: []))
        _ = try? await shard.compare(ShardComparison(after: nil))
        // then
        let targets = wire.targets.map { CallContract.shards.target(identifier: $0) }
        #expect(targets.map { $0?.number } == [1, 2, 3, 4, 5], "\(wire.targets)")
        #expect(targets.map { $0?.isOrdered } == [true, false, false, false, false])
    }
}

private final class NamingTransport: InvocationTransport {
    private let seen = Mutex<[String]>([])

    var targets: [String] { self.seen.withLock { $0 } }

    func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
        self.seen.withLock { $0.append(invocation.target) }
        throw ClusterError(.notOwner, "nobody is there")
    }
}
