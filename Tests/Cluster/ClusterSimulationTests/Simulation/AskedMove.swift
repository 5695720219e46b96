import EventLog

/// That an owner give a shard to a node, and who is told what came of it.
struct AskedMove {
    enum Outcome {
        /// The shard's row names the node.
        case made
        /// Not now, or not here.
        case notOwner
        /// There is no such node, or no store.
        case refused
    }

    var shard: ShardID
    var target: NodeID
    var answer: (Outcome) -> Void
}
