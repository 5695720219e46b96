import EventLog
import ServiceContract
import Shards
import Synchronization

/// Where the shards of a node find who compares them with Apple's answers, while it does.
package final class ComparisonRegistry: ShardComparing {
    typealias Comparer =
        @Sendable (ShardComparison, ShardID) async throws(ServiceError) -> ShardComparisonResult

    private let comparer = Mutex<Comparer?>(nil)

    package init() {}

    /// From now on, until `close()`.
    func open(_ comparer: @escaping Comparer) { self.comparer.withLock { $0 = comparer } }

    func close() { self.comparer.withLock { $0 = nil } }

    /// - Throws: `.stopping` while nobody does, and what the comparer throws.
    func compare(
        _ comparison: ShardComparison, of shard: ShardID
    ) async throws(ServiceError) -> ShardComparisonResult {
        guard let comparer = self.comparer.withLock({ $0 }) else {
            throw ServiceError(
                .stopping,
                "the node that owns shard \(shard.rawValue) does not ask Apple: it is starting or stopping, or no app has "
                    + "serverAPI in its configuration")
        }
        return try await comparer(comparison, shard)
    }
}
