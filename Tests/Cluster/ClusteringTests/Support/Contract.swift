import Clustering
import EventLog
import Ownership
import Synchronization
import WireProtocol

/// What the nodes of the tests may call on each other. `Worker.forbidden` is not in it.
enum Contract {
    static func make() async -> CallContract {
        let ordered: [@Sendable (Worker) async throws -> Void] = [
            { _ = try await $0.submit(CommandBatch([])) }, { _ = try await $0.submitSlowly(CommandBatch([])) },
            { try await $0.nothing() }, { try await $0.hold(Bytes([])) },
        ]
        let others: [@Sendable (Worker) async throws -> Void] = [
            { _ = try await $0.echo(Bytes([])) }, { try await $0.fail(Bytes([])) }, { try await $0.wait() },
            { _ = try await $0.produce(Bytes([])) }, { _ = try await $0.trace() },
        ]
        var targets: [CallContract.Target] = []
        for call in ordered + others {
            targets.append(
                CallContract.Target(
                    UInt32(targets.count + 1), await Self.identifier(call), isOrdered: targets.count < ordered.count,
                    usesInbox: targets.isEmpty))
        }
        return CallContract(targets: targets, errors: [1: KnownError.self])
    }

    /// Numbers as `make()` gives them. The first function uses an inbox, where there is one.
    enum Number {
        static let submit: UInt32 = 1
        static let submitSlowly: UInt32 = 2
        static let hold: UInt32 = 4
        static let echo: UInt32 = 5
        static let wait: UInt32 = 7
    }

    private static func identifier(_ call: @Sendable (Worker) async throws -> Void) async -> String {
        let capture = Capture()
        let system = ClusterSystem(shardMap: ShardHash(shardCount: 16)!, transport: capture)
        let worker = try? Worker.resolve(id: ShardActorID(shard: ShardID(rawValue: 0)), using: system)
        if let worker { try? await call(worker) }
        return capture.target.withLock { $0 }
    }

    private final class Capture: InvocationTransport {
        let target = Mutex("")

        func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
            self.target.withLock { $0 = invocation.target }
            throw ClusterError(.notOwner, "nobody is there")
        }
    }
}
