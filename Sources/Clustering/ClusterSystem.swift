package import Distributed
package import Sharding
package import WireProtocol

/// Finds the actor of a shard and calls it, whether it lives in this process or on another node. Actors are held
/// weakly: who made one keeps it alive.
package final class ClusterSystem: DistributedActorSystem {
    package typealias ActorID = ShardActorID
    package typealias InvocationEncoder = Clustering.InvocationEncoder
    package typealias InvocationDecoder = Clustering.InvocationDecoder
    package typealias ResultHandler = InvocationResultHandler
    package typealias SerializationRequirement = any WireRepresentable

    @TaskLocal private static var nextID: ShardActorID?

    private let slots: [ActorSlot]
    private let transport: any InvocationTransport

    package init(shardMap: ShardMap, transport: any InvocationTransport = SingleNodeTransport()) {
        self.slots = shardMap.shards.map { _ in ActorSlot() }
        self.transport = transport
    }

    // MARK: Actors of this process

    /// Runs `make`, which makes one actor; it gets `id`.
    package static func assigning<Act: DistributedActor>(_ id: ShardActorID, _ make: () throws -> Act) rethrows -> Act {
        try Self.$nextID.withValue(id, operation: make)
    }

    package func assignID<Act: DistributedActor>(_ actor: Act.Type) -> ShardActorID where Act.ID == ShardActorID {
        guard let id = Self.nextID else { preconditionFailure("actors are made inside assigning(_:_:)") }
        return id
    }

    package func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == ShardActorID {
        self.slots[actor.id.index].actor = actor
    }

    package func resignID(_ id: ShardActorID) {
        // The slot's reference is weak: it is empty already, or a successor's.
    }

    /// - Throws: `.otherType` when an actor of another type has this name.
    package func resolve<Act: DistributedActor>(
        id: ShardActorID, as actorType: Act.Type
    ) throws -> Act? where Act.ID == ShardActorID {
        guard id.index < self.slots.count, let actor = self.slots[id.index].actor else {
            return nil
        }
        guard let actor = actor as? Act else {
            throw ClusterError(.otherType, "the actor of shard \(id.index) is of another type")
        }
        return actor
    }

    // MARK: Calls

    package func makeInvocationEncoder() -> InvocationEncoder { InvocationEncoder() }

    package func remoteCall<Act: DistributedActor, Err: Error, Res: WireRepresentable>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act.ID == ShardActorID {
        switch try await self.send(invocation, target: target, to: actor.id) {
        case .value(let bytes): return try Res(wireBytes: bytes)
        case .void: throw ClusterError(.malformed, "a call that returns a value gave none")
        case .failure(let message): throw ClusterError(.failed, message)
        }
    }

    package func remoteCallVoid<Act: DistributedActor, Err: Error>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type
    ) async throws where Act.ID == ShardActorID {
        switch try await self.send(invocation, target: target, to: actor.id) {
        case .void: return
        case .value: throw ClusterError(.malformed, "a call that returns nothing gave a value")
        case .failure(let message): throw ClusterError(.failed, message)
        }
    }

    /// Runs a call that came from elsewhere on the actor of this process.
    /// - Throws: `.notOwner` when the actor does not live here, `.malformed` when the call does not fit it.
    package func execute<Act: DistributedActor>(
        _ invocation: Invocation, on id: ShardActorID, as type: Act.Type
    ) async throws -> InvocationReply where Act.ID == ShardActorID, Act.ActorSystem == ClusterSystem {
        guard let actor = try self.resolve(id: id, as: type) else {
            throw ClusterError(.notOwner, "no actor owns shard \(id.index)")
        }
        var decoder = InvocationDecoder(invocation)
        let handler = InvocationResultHandler()
        try await self.executeDistributedTarget(
            on: actor, target: RemoteCallTarget(invocation.target), invocationDecoder: &decoder, handler: handler)
        guard let reply = handler.reply else { throw ClusterError(.malformed, "a call gave no answer") }
        return reply
    }

    private func send(
        _ encoder: InvocationEncoder, target: RemoteCallTarget, to id: ShardActorID
    ) async throws -> InvocationReply {
        try await self.transport.call(
            Invocation(target: target.identifier, arguments: encoder.arguments), on: id)
    }
}
