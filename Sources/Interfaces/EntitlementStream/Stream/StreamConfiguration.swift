package import ZeroMQ

/// How a node publishes, and to whom.
package struct StreamConfiguration: Sendable {
    /// `stream.bind`: the endpoint of the PUB socket; questions are answered at the port after it. Port 0 takes two free
    /// ones.
    package var bind: String
    /// From `stream.curveKeyFile`.
    package var keys: CurveKeyPair
    /// `stream.subscribers`: names by public key. Nobody else gets anything.
    package var subscribers: [[UInt8]: String]
    /// How often the heads of all shards are published.
    package var beatInterval = Duration.milliseconds(500)
    /// How many messages wait in memory for one subscriber; those after them he has to ask for.
    package var messagesPerSubscriber = 32_768
    /// How many deltas wait for the thread that sends them; those after them subscribers have to ask for.
    package var waitingDeltas = 65_536
    /// How many rows or events one page has at most.
    package var pageLimit = 4_096
    /// How many pages are read at a time, for all subscribers; and how many answers may wait for one connection that gets
    /// more of them.
    package var pagesUnderWay = 8
    /// How many requests of one connection may be without an answer that it has read: each of these is answered or refused.
    /// One for each shard of the largest store.
    package var requestsPerConnection = 4_096
    /// How many pages a second one subscriber gets: a copy of the largest store in four seconds.
    package var pagesPerSecond = 1_000
    /// How many of these he may ask for at once: all shards of the largest store, twice.
    package var pageBurst = 8_192
    /// How many probes a second one subscriber gets an answer to. A follower sends two: it is enough for a hundred that have
    /// the same key.
    package var probesPerSecond = 200
    /// How many of these may come at once.
    package var probeBurst = 400

    package init(bind: String, keys: CurveKeyPair, subscribers: [[UInt8]: String]) {
        self.bind = bind
        self.keys = keys
        self.subscribers = subscribers
    }
}
