/// Carries calls to actors that do not live in this process.
package protocol InvocationTransport: Sendable {
    /// - Throws: `ClusterError`, `.notOwner` when nobody who can be reached has the actor.
    func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply
}

/// A node alone: what is not here is nowhere.
package struct SingleNodeTransport: InvocationTransport {
    package init() {}

    package func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
        throw ClusterError(.notOwner, "no actor owns shard \(id.index)")
    }
}
