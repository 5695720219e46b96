/// What a cluster said and kept while it was disturbed.
struct History: Sendable {
    /// Notifications that were sent, by their UUIDs.
    var sent: Set<String> = []
    /// Those that were answered with 200.
    var acknowledged: Set<String> = []
    /// The log by each living node's change stream.
    var logs: [String: [Entry]] = [:]
    /// The rows of the database, by shard.
    var shards: [Int: ShardRows] = [:]
    /// The same at an earlier moment.
    var earlier: [Int: ShardRows] = [:]
    var answers: [OwnerAnswer] = []
    /// Notifications that no node took any more, though nothing stood in its way.
    var refused: [String] = []
    /// Keys of what was kept for an owner, and could not be applied by him.
    var parked: [String] = []
    /// Nodes that others took for dead, though nobody had done anything to them.
    var takenForDead: [String] = []

    struct Entry: Hashable, Sendable {
        var stream: String
        var version: Int
        /// nil for what no notification brought.
        var notification: String?
    }

    /// A row of `shard`, and its rows of `event` in the order of their numbers.
    struct ShardRows: Hashable, Sendable {
        var head: Int
        var epoch: Int
        var events: [EventRow] = []
    }

    struct EventRow: Hashable, Sendable {
        var sequence: Int
        var epoch: Int
        var key: String
    }

    /// An answer of a subscription's owner, or of any node that was given a token.
    struct OwnerAnswer: Hashable, Sendable {
        var node: String
        var subscription: String
        /// The newest that an owner had told anybody before it was asked for, or that its token names.
        var atLeast: Int
        /// 0 when the subscription was unknown.
        var version: Int
    }
}
