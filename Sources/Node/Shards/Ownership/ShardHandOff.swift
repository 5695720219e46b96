import EventLog
import Foundation
import Ownership
import ServiceContract

/// Gives shards of this node to others, in good order: what is on its way to the store arrives there first, and what comes
/// later is sent on to the next owner.
struct ShardHandOff: Sendable {
    let store: any SharedEventStore
    /// By shard number.
    let parts: [ShardParts]
    let metrics: RuntimeMetrics

    /// Serves the shard no more, and then makes another run its owner. If that did not happen, the next reading says so, and
    /// the shard is taken again. Blocks.
    /// - Returns: whether it is known to be the other's.
    func give(_ shard: ShardID, as run: NodeRun, to next: ShardRecord.Owner) -> Bool {
        let parts = self.parts[Int(shard.rawValue)]
        guard let epoch = parts.status.drain() else { return false }
        let start = ContinuousClock.now
        // What was in flight may have been why it was frozen or taken again meanwhile.
        guard self.becomesIdle(parts.queue), parts.status.handle(.handedOver(under: epoch)) != nil else {
            parts.status.handle(.kept(under: epoch))
            return false
        }
        let isGiven = (try? self.store.give(shard, under: epoch, from: run.owner, to: next)) ?? false
        if isGiven { self.metrics.recordGiven(took: .now - start) }
        return isGiven
    }

    /// Blocks, for as long as a commit takes.
    private func becomesIdle(_ queue: ShardQueue) -> Bool {
        for _ in 0..<200 where !queue.isIdle { Thread.sleep(forTimeInterval: 0.001) }
        return queue.isIdle
    }
}
