import EventLog
import Ownership
import PerennialTestSupport
import Synchronization

/// A store of several nodes, of which a test says how some statements go.
final class HookedSharedStore: ForwardingSharedStore {
    /// Called with the statement itself, which need not be made, and may be made without being heard of.
    struct Hooks: Sendable {
        var take: @Sendable (_ take: () throws(StoreError) -> [ShardOwnership]) throws(StoreError) -> [ShardOwnership] =
            {
                take throws(StoreError) in try take()
            }
        var give: @Sendable (_ shard: ShardID, _ give: () throws(StoreError) -> Bool) throws(StoreError) -> Bool = {
            _, give throws(StoreError) in try give()
        }
        var append:
            @Sendable (_ batches: [ShardBatch], _ append: () throws(StoreError) -> [AppendOutcome]) throws(StoreError)
                -> [AppendOutcome] = { _, append throws(StoreError) in try append() }
        /// Why no shard is taken again by the run that owned it; nil: it is.
        var claimFailure: StoreError?
        /// Why nothing can be kept for owners; nil: it can.
        var putFailure: StoreError?
        /// nil: what there is.
        var inboxDepth: InboxDepth?
    }

    let shared: any SharedEventStore
    let appendConcurrency: Int
    private let hooks = Mutex(Hooks())

    init(_ shared: any SharedEventStore, appendConcurrency: Int = 1) {
        self.shared = shared
        self.appendConcurrency = appendConcurrency
    }

    func set(_ change: (inout Hooks) -> Void) { self.hooks.withLock { change(&$0) } }

    static var unheard: StoreError { StoreError(.unavailable, "as the test says") }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        let append = self.hooks.withLock(\.append)
        return try append(batches) { () throws(StoreError) in try self.shared.append(batches) }
    }

    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        if claim.from != nil, let failure = self.hooks.withLock(\.claimFailure) { throw failure }
        return try self.shared.claim(claim)
    }

    func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership] {
        let take = self.hooks.withLock(\.take)
        return try take { () throws(StoreError) in try self.shared.take(seen, as: run) }
    }

    func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) throws(StoreError) -> Bool {
        let give = self.hooks.withLock(\.give)
        return try give(shard) { () throws(StoreError) in
            try self.shared.give(shard, under: epoch, from: owner, to: other)
        }
    }

    func put(_ row: InboxRow) async throws(StoreError) {
        if let failure = self.hooks.withLock(\.putFailure) { throw failure }
        try await self.shared.put(row)
    }

    func inboxDepth() async throws(StoreError) -> InboxDepth {
        if let depth = self.hooks.withLock(\.inboxDepth) { return depth }
        return try await self.shared.inboxDepth()
    }
}
