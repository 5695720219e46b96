import AppStore
import EventLog

/// A store whose appends and signs of life lack guards; all else goes through.
struct UnguardedStore: SharedEventStore {
    let base: any SharedEventStore
    let removed: Set<RemovedGuard>
    let verification: VerificationPool

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        let batches = self.removed.contains(.deduplication) ? batches.map(Self.withUniqueKeys) : batches
        do throws(StoreError) {
            return try self.base.append(batches)
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            if self.removed.contains(.retake) { throw StoreError(.unavailable, error.message) }
            guard self.removed.contains(.outcome) else { throw error }
            return batches.map { .appended(head: LogSequence(rawValue: $0.head.rawValue + Int64($0.events.count))) }
        }
    }

    /// Without a thread of its own it needs one that verifies, and has one only when there is nothing to verify; otherwise it
    /// is for the next one to try, a second later.
    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        guard !self.removed.contains(.threads) || self.verification.isIdle else {
            throw StoreError(.unavailable, "no thread is free for a sign of life")
        }
        return try self.base.beat(run)
    }

    /// Under keys that nobody finds again.
    private static func withUniqueKeys(_ batch: ShardBatch) -> ShardBatch {
        var batch = batch
        for index in batch.events.indices {
            batch.events[index].dedupKey += (0..<8).map { _ in UInt8.random(in: 0...255) }
        }
        return batch
    }
}
