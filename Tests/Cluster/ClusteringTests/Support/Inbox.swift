import Clustering
import EventLog
import ServiceContextModule
import WireProtocol

/// An inbox that writes down what it gets, and answers each command with the trace that it came with.
struct Inbox: Sendable {
    let journal = Journal()

    /// Instead of the worker of `shard`, which has to be there.
    func serve(_ shard: UInt16, of node: TestNode, epoch: Int64 = 1) {
        node.system.serve(ShardID(rawValue: shard), under: Epoch(rawValue: epoch)) { [journal] batch in
            let outcomes = EventualOutcomes(count: batch.items.count)
            let trace = Array((ServiceContext.current?[TraceKey.self] ?? "none").utf8)
            for (place, item) in batch.items.enumerated() {
                journal.record(item)
                outcomes.put(trace, at: place)
            }
            return outcomes
        }
    }
}
