package import EventLog
package import ServiceContract

/// Compares subscriptions of a shard that this node owns with Apple's answers.
package protocol ShardComparing: Sendable {
    /// - Throws: `.stopping` while this node does not ask Apple.
    func compare(
        _ comparison: ShardComparison, of shard: ShardID
    ) async throws(ServiceError) -> ShardComparisonResult
}
