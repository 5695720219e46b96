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
    let journal: Journal
    let metrics: RuntimeMetrics

    /// Serves the shard no more, and then makes another run its owner. If that did not happen, the next reading says so, and
    /// the shard is taken again. Blocks.
    /// - Returns: whether it is known to be the other's.
    func give(_ shard: ShardID, as run: NodeRun, to next: ShardRecord.Owner) -> Bool {
        let parts = self.parts[Int(shard.rawValue)]
        guard parts.gate.isServing, let epoch = self.journal.drain(shard) else { return false }
        let start = ContinuousClock.now
        let refusal = SubmissionOutcome(ServiceError(.notOwner, "another node will own the shard"))
        parts.queue.refuse(with: refusal)
        // What was in flight may have been why it was taken again meanwhile, which the shard may not have heard yet.
        guard self.becomesIdle(parts.queue), parts.gate.letGo(under: epoch), self.journal.handOver(shard, under: epoch)
        else {
            self.journal.keep(shard, under: epoch)
            parts.queue.readmit(refusedWith: refusal)
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
