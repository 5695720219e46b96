import Clustering
import Distributed
import EventLog
import Ownership
import Synchronization
import Testing
import WireProtocol

@Suite struct ClusterSystemTests {
    private let map = ShardHash(shardCount: 16)!

    private func id(_ shard: UInt16) -> ShardActorID { ShardActorID(shard: ShardID(rawValue: shard)) }

    private func counter(_ shard: UInt16, in system: ClusterSystem) -> Counter {
        system.serve(ShardID(rawValue: shard), under: Epoch(rawValue: 1))
        return ClusterSystem.assigning(self.id(shard)) { Counter(actorSystem: system) }
    }

    @Test func resolvesAnActorOfThisProcessToItself() async throws {
        // given
        let system = ClusterSystem(shardMap: self.map)
        let counter = self.counter(3, in: system)
        // when
        let resolved = try Counter.resolve(id: self.id(3), using: system)
        // then
        #expect(resolved === counter)
        #expect(try await resolved.add(Number(40), Number(2)) == Number(42))
    }

    @Test func aNodeAloneRefusesCallsToActorsItDoesNotHave() async throws {
        // given
        let system = ClusterSystem(shardMap: self.map)
        let absent = try Counter.resolve(id: self.id(4), using: system)
        // when, then
        let error = await #expect(throws: ClusterError.self) { try await absent.add(Number(1), Number(1)) }
        #expect(error?.code == .notOwner)
        let beyond = await #expect(throws: ClusterError.self) {
            try await Counter.resolve(id: self.id(400), using: system).reset()
        }
        #expect(beyond?.code == .notOwner)
    }

    @Test func forgetsAnActorThatNobodyKeeps() async throws {
        // given
        let system = ClusterSystem(shardMap: self.map)
        do { _ = self.counter(5, in: system) }
        // when, then
        let error = await #expect(throws: ClusterError.self) {
            try await Counter.resolve(id: self.id(5), using: system).reset()
        }
        #expect(error?.code == .notOwner)
    }

    @Test func refusesAnActorOfAnotherType() throws {
        let system = ClusterSystem(shardMap: self.map)
        let counter = self.counter(6, in: system)
        let error = #expect(throws: ClusterError.self) { try Bystander.resolve(id: self.id(6), using: system) }
        #expect(error?.code == .otherType)
        withExtendedLifetime(counter) {}
    }

    @Test func aCallCrossesBetweenSystemsAsBytes() async throws {
        // given: the actor lives in one system and is called from another
        let home = ClusterSystem(shardMap: self.map)
        let counter = self.counter(7, in: home)
        let wire = Loopback(home)
        let away = ClusterSystem(shardMap: self.map, transport: wire)
        let remote = try Counter.resolve(id: self.id(7), using: away)
        // when
        let sum = try await remote.add(Number(20), Number(-3))
        try await remote.reset()
        // then
        #expect(sum == Number(17))
        #expect(remote !== counter)
        #expect(wire.calls.map(\.arguments) == [[[20], [253]], []])
    }

    @Test func whatARemoteFunctionThrowsReachesTheCaller() async throws {
        // given
        let home = ClusterSystem(shardMap: self.map)
        let counter = self.counter(8, in: home)
        let remote = try Counter.resolve(
            id: self.id(8), using: ClusterSystem(shardMap: self.map, transport: Loopback(home)))
        // when
        let error = await #expect(throws: ClusterError.self) { try await remote.fail() }
        // then
        #expect(error?.code == .failed)
        #expect(error?.message.contains("Refusal") == true)
        withExtendedLifetime(counter) {}
    }

    @Test func runsCallsOfTheEpochThatItServesAndOfOlderOnesAlone() async throws {
        // given
        let home = ClusterSystem(shardMap: self.map)
        let counter = self.counter(10, in: home)
        let wire = Loopback(home)
        let remote = try Counter.resolve(
            id: self.id(10), using: ClusterSystem(shardMap: self.map, transport: wire))
        try await remote.reset()
        let call = try #require(wire.calls.first)
        home.serve(ShardID(rawValue: 10), under: Epoch(rawValue: 5))
        // when, then
        for epoch in [0, 4, 5] {
            _ = try await home.execute(call, on: self.id(10), epoch: Epoch(rawValue: Int64(epoch)))
        }
        let newer = await #expect(throws: ClusterError.self) {
            try await home.execute(call, on: self.id(10), epoch: Epoch(rawValue: 6))
        }
        #expect(newer?.code == .notOwner)
        home.serve(ShardID(rawValue: 10), under: nil)
        let none = await #expect(throws: ClusterError.self) { try await home.execute(call, on: self.id(10)) }
        #expect(none?.code == .notOwner)
        withExtendedLifetime(counter) {}
    }

    @Test func argumentsThatDoNotFitAreRefused() async throws {
        // given
        let home = ClusterSystem(shardMap: self.map)
        let counter = self.counter(9, in: home)
        let wire = Loopback(home)
        let remote = try Counter.resolve(
            id: self.id(9), using: ClusterSystem(shardMap: self.map, transport: wire))
        _ = try await remote.add(Number(1), Number(2))
        let call = try #require(wire.calls.first)
        // when, then
        for arguments in [[], [[1]], [[1], []], [[1, 2], [3]]] as [[[UInt8]]] {
            await #expect(throws: (any Error).self) {
                _ = try await home.execute(
                    Invocation(target: call.target, arguments: arguments), on: self.id(9))
            }
        }
        await #expect(throws: (any Error).self) {
            try await home.execute(
                Invocation(target: "no such function", arguments: []), on: self.id(9))
        }
        withExtendedLifetime(counter) {}
    }
}

struct Refusal: Error {}

// Not private: the runtime finds the parameter types of a distributed function by name.
struct Number: WireRepresentable, Equatable {
    let value: Int8

    init(_ value: Int8) { self.value = value }

    init(wireBytes: [UInt8]) throws {
        guard wireBytes.count == 1 else { throw Refusal() }
        self.value = Int8(bitPattern: wireBytes[0])
    }

    func wireBytes() throws -> [UInt8] { [UInt8(bitPattern: self.value)] }
}

distributed actor Counter {
    typealias ActorSystem = ClusterSystem

    distributed func add(_ left: Number, _ right: Number) -> Number { Number(left.value + right.value) }

    distributed func reset() {}

    distributed func fail() throws { throw Refusal() }
}

private distributed actor Bystander {
    typealias ActorSystem = ClusterSystem
}

/// Hands calls to another system in the same process, and keeps them.
private final class Loopback: InvocationTransport {
    private let system: ClusterSystem
    private let seen = Mutex<[Invocation]>([])

    init(_ system: ClusterSystem) { self.system = system }

    var calls: [Invocation] { self.seen.withLock { $0 } }

    func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
        self.seen.withLock { $0.append(invocation) }
        switch try await self.system.execute(invocation, on: id) {
        case .reply(let reply): return reply
        case .eventual: throw Refusal()
        }
    }
}
