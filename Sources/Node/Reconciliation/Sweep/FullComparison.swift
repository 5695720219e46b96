import Clustering
import EventLog
import Ownership
package import ServiceContract
package import Shards

/// Compares every subscription of the store with Apple's answer, once: the owner of each shard, whichever node it is,
/// asks about its own.
package struct FullComparison: Sendable {
    /// Shards that are compared side by side; their owners are mostly several nodes.
    private static let width = 8
    /// For so long a shard may have no owner who can compare it.
    private static let patience = Duration.seconds(60)
    private static let pause = Duration.milliseconds(200)

    let router: ShardRouter

    package init(router: ShardRouter) {
        self.router = router
    }

    /// - Parameter onProgress: called now and then, with what has come to it since.
    /// - Throws: when a shard cannot be compared to its end; others may be by then, or in part.
    package func run(onProgress: @escaping @Sendable (ReconciliationProgress) -> Void) async throws(ServiceError) {
        try await ServiceError.translating {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, shard) in self.router.map.shards.enumerated() {
                    if number >= Self.width { try await group.next() }
                    group.addTask { try await self.compare(shard, onProgress) }
                }
                try await group.waitForAll()
            }
        }
    }

    private func compare(
        _ shard: ShardID, _ onProgress: @Sendable (ReconciliationProgress) -> Void
    ) async throws(ServiceError) {
        var last: [UInt8]?
        repeat {
            let result = try await self.compare(shard, after: last)
            onProgress(result.progress)
            last = result.last
        } while last != nil
    }

    /// Asks again while the shard changes hands: its next owner goes on where the last one stopped.
    private func compare(
        _ shard: ShardID, after last: [UInt8]?
    ) async throws(ServiceError) -> ShardComparisonResult {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await self.router.compare(ShardComparison(after: last), of: shard)
            } catch {
                if (error.cause as? ClusterError)?.code == .unknownTarget {
                    throw ServiceError(
                        .olderNodes,
                        "the node that owns shard \(shard.rawValue) is of an older version, which cannot be told to compare: "
                            + "try again when all nodes are of this one",
                        cause: error)
                }
                guard error.code.saysOwnerIsAbsent, .now < end, !Task.isCancelled else { throw error }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }
}
