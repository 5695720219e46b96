package import Distributed
package import EventLog
package import Ownership
import Synchronization
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

    /// Until when a call made in this task waits for its answer; nil for as long as the transport says.
    @TaskLocal package static var deadline: ContinuousClock.Instant?

    private let slots: [ActorSlot]
    private let contract: CallContract
    private let transport: any InvocationTransport
    private let hint = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter contract: the same as the transport's.
    package init(
        shardMap: ShardHash, contract: CallContract = CallContract(),
        transport: any InvocationTransport = SingleNodeTransport()
    ) {
        self.slots = shardMap.shards.map { _ in ActorSlot() }
        self.contract = contract
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
        guard id.index < self.slots.count, let actor = self.slots[id.index].actorToCall else {
            return nil
        }
        guard let actor = actor as? Act else {
            throw ClusterError(.otherType, "the actor of shard \(id.index) is of another type")
        }
        return actor
    }

    /// Takes a batch of commands for a shard on the thread that receives it, in the order of the calls. It must not
    /// wait: the outcomes are put in later.
    package typealias Inbox = @Sendable (CommandBatch) -> EventualOutcomes

    /// The owner of a shard serves it under `epoch`: calls that know of a newer one are refused. nil from when it serves no
    /// more: its actor is then found elsewhere.
    /// - Parameter inbox: gets what is called by targets that use one, instead of the actor.
    package func serve(_ shard: ShardID, under epoch: Epoch?, inbox: Inbox? = nil) {
        self.slots[Int(shard.rawValue)].serve(under: epoch, inbox: inbox)
    }

    /// - Parameter hint: hears of calls for shards that this node does not serve under the epoch that the caller knows: it may
    ///   own them by now. On any thread; it must not wait.
    package func onUnservedCall(_ hint: @escaping @Sendable () -> Void) { self.hint.withLock { $0 = hint } }

    // MARK: Calls

    package func makeInvocationEncoder() -> InvocationEncoder { InvocationEncoder() }

    package func remoteCall<Act: DistributedActor, Err: Error, Res: WireRepresentable>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act.ID == ShardActorID {
        switch try await self.send(invocation, target: target, to: actor.id) {
        case .value(let bytes): return try Res(wireBytes: bytes)
        case .nothing: throw ClusterError(.malformed, "a call that returns a value gave none")
        case .failure(let failure): throw self.contract.error(failure)
        }
    }

    package func remoteCallVoid<Act: DistributedActor, Err: Error>(
        on actor: Act, target: RemoteCallTarget, invocation: inout InvocationEncoder, throwing: Err.Type
    ) async throws where Act.ID == ShardActorID {
        switch try await self.send(invocation, target: target, to: actor.id) {
        case .nothing: return
        case .value: throw ClusterError(.malformed, "a call that returns nothing gave a value")
        case .failure(let failure): throw self.contract.error(failure)
        }
    }

    /// What a call that came from elsewhere gave.
    package enum Execution: Sendable {
        case reply(InvocationReply)
        /// It is complete later.
        case eventual(any EventualResult)
    }

    /// Runs a call that came from elsewhere on the actor of this process.
    /// - Parameter epoch: the newest one of the shard that the caller knows of.
    /// - Throws: `.notOwner` when the actor does not live here or serves an older epoch, `.malformed` when the arguments
    ///   are not what the function takes, and whatever Swift throws for a function that is not there: nothing ran.
    package func execute(
        _ invocation: Invocation, on id: ShardActorID, epoch: Epoch = Epoch(rawValue: 0)
    ) async throws -> Execution {
        guard id.index < self.slots.count, let actor = self.slots[id.index].actor(servedUnder: epoch) else {
            self.hint.withLock(\.self)?()
            throw ClusterError(.notOwner, "this node does not own shard \(id.index)")
        }
        return try await self.execute(invocation, on: actor)
    }

    /// nil where a call has to be executed: the actor does not live here, serves an older epoch, or has no inbox.
    func inbox(of id: ShardActorID, epoch: Epoch) -> Inbox? {
        id.index < self.slots.count ? self.slots[id.index].inbox(servedUnder: epoch) : nil
    }

    private func execute<Act: DistributedActor>(_ invocation: Invocation, on actor: Act) async throws -> Execution {
        let handler = InvocationResultHandler(self.contract)
        var decoder = InvocationDecoder(invocation, handler)
        try await self.executeDistributedTarget(
            on: actor, target: RemoteCallTarget(invocation.target), invocationDecoder: &decoder, handler: handler)
        return try handler.execution()
    }

    private func send(
        _ encoder: InvocationEncoder, target: RemoteCallTarget, to id: ShardActorID
    ) async throws -> InvocationReply {
        do {
            return try await self.transport.call(
                Invocation(target: target.identifier, arguments: encoder.arguments), on: id)
        } catch let error as ClusterError where error.code == .ownedHere {
            self.hint.withLock(\.self)?()
            throw error
        }
    }
}
