package import EventLog
package import WireProtocol

/// Hears what has become durable in the shards that this node owns.
package protocol ChangeListener: Sendable {
    /// Called for each commit of a shard, in the order of its log, before anybody is answered: it neither blocks nor fails.
    /// After a commit of unknown outcome events are missing from what it hears; the shard's head shows it.
    func hear(_ deltas: [StreamDelta], of shard: ShardID)

    /// Somebody is told what answers by customer need.
    var wantsCustomers: Bool { get }
}
