package import EventLog
import Testing

/// What every event store has to do, one check at a time. A store's test suite runs all of them, each on a new store of
/// `shardCount` shards whose quarantine has `quarantineLimits`.
package struct StoreContract: Sendable, CustomTestStringConvertible {
    package static let shardCount = 64
    package static let quarantineLimits = {
        var limits = QuarantineLimits()
        limits.rows = 3
        limits.bytes = 1_000_000
        limits.strangersRows = 2
        limits.strangersBytes = 650_000
        return limits
    }()

    package static let all =
        Self.appending + Self.concurrency + Self.fencing + Self.conflicts + Self.streams + Self.evidence
        + Self.past + Self.positions + Self.quarantine + Self.bookmarks + Self.inbox + Self.removals
        + Self.featureLevels

    package let testDescription: String
    private let check: @Sendable (any EventStore) async throws -> Void

    init(_ testDescription: String, check: @escaping @Sendable (any EventStore) async throws -> Void) {
        self.testDescription = testDescription
        self.check = check
    }

    /// Records an issue of the running test for each promise that `store` breaks.
    package func hold(_ store: any EventStore) async throws {
        try await self.check(store)
    }
}
