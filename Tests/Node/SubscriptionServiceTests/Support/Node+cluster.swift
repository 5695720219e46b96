import Clustering
import EventLog
import Ownership
import Shards
import SubscriptionService
import ZeroMQ

extension Node {
    /// So quick that a test need not wait, and so patient that a busy machine does not look dead.
    static var terms: LeaseTerms {
        var terms = LeaseTerms(length: .seconds(60))
        terms.readingInterval = .milliseconds(20)
        terms.beatInterval = .milliseconds(50)
        terms.settling = .milliseconds(50)
        return terms
    }

    /// One of several that divide the shards of `store` by themselves.
    init(
        named name: String, store: any SharedEventStore, apple: TestAppStore, terms: LeaseTerms = Self.terms
    ) throws {
        try self.init(store: store)
        self.apple = apple
        self.configuration.lease = terms
        try self.join(as: name)
    }

    /// One of several that have the shards of `store` by assignment.
    init(named name: String, assigned shards: Range<UInt16>, store: any EventStore, apple: TestAppStore) throws {
        try self.init(store: store)
        self.apple = apple
        self.configuration.shards = Set(shards.map(ShardID.init(rawValue:)))
        try self.join(as: name)
    }

    private mutating func join(as name: String) throws {
        self.configuration.node = NodeID(rawValue: name)
        var cluster = ClusterConfiguration(
            node: NodeID(rawValue: name), incarnation: Incarnation(rawValue: .random(in: .min ... .max)),
            bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair())
        cluster.heartbeatTimeout = .seconds(60)
        cluster.callTimeout = .seconds(60)
        self.configuration.cluster = cluster
    }
}
