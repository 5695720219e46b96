package import EventLog
package import ServiceContract

/// Answers what other nodes ask the owner of a shard.
package protocol ShardAnswers: Sendable {
    /// Answers entitlement checks as of now.
    /// - Throws: `ServiceError` while the shard must not answer, or when a check is of another shard.
    func answer(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts

    /// The newest durable event.
    /// - Throws: while the shard must not answer.
    func ownHead(of shard: ShardID) async throws(ServiceError) -> Position
}
