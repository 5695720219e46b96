package import EventLog
import Testing

/// What every store has to do that several nodes share, one check at a time, each on a new store of
/// `StoreContract.shardCount` shards.
package struct SharedStoreContract: Sendable, CustomTestStringConvertible {
    package static let all = Self.lives + Self.owners + Self.removals + Self.featureLevels

    package let testDescription: String
    private let check: @Sendable (any SharedEventStore) async throws -> Void

    init(_ testDescription: String, check: @escaping @Sendable (any SharedEventStore) async throws -> Void) {
        self.testDescription = testDescription
        self.check = check
    }

    /// Records an issue of the running test for each promise that `store` breaks.
    package func hold(_ store: any SharedEventStore) async throws {
        try await self.check(store)
    }
}

extension SharedEventStore {
    package func begin(_ node: String, incarnation: Int64) throws(StoreError) -> NodeRun {
        try self.begin(
            NodeRecord(id: NodeID(rawValue: node), incarnation: Incarnation(rawValue: incarnation)), lease: .seconds(5))
    }

    func status(of node: String) throws -> NodeStatus {
        try #require(try self.view().nodes.first { $0.id.rawValue == node })
    }

    func record(of shard: Int) throws(StoreError) -> ShardRecord { try self.view().shards[shard] }
}
