package import AppStore
package import Clustering
package import EventLog
package import Mirroring
package import Ownership
package import Subscriptions

/// The bounds and rules of a service. Every bound has a default that suits a node with a few gigabytes.
package struct RuntimeConfiguration: Sendable {
    /// `node.id`: the name under which shards are claimed.
    package var node = NodeID(rawValue: "perennial")
    /// How the node talks to others; nil for a node alone.
    package var cluster: ClusterConfiguration?
    /// `cluster.shards`: those that this node owns; nil for all.
    package var shards: Set<ShardID>?
    /// From `cluster.lease`: ownership goes by leases, and any node may own any shard; nil where shards are assigned. It needs
    /// a `SharedEventStore`.
    package var lease: LeaseTerms?
    /// The newest that this node supports. No key of a configuration reaches it: a test's node pretends to be of
    /// another release with it.
    package var featureLevel = FeatureLevel.supported
    /// From `entitlements.renewalLeeway` and `entitlements.nonRenewing`.
    package var rules = DerivationRules()

    /// From `customers`.
    package var customers = CustomerPolicies()

    /// From `apps[].serverAPI`: whom to ask about each app in each environment; without it Apple is not asked.
    package var serverAPI: [ServerAPIClient] = []
    /// How long the slow comparison of all subscriptions with Apple's answers rests after each of them.
    package var sweepPause = Duration.seconds(1)

    /// Who hears of what has become durable; nil for nobody.
    package var listener: (any ChangeListener)?

    /// What `local` checks of other nodes' shards are answered from, kept by somebody else; nil for their owners.
    package var mirror: EntitlementMirror?
    /// By which checks wait for the mirror to come as far as their tokens. No key of a configuration reaches it: a test
    /// looks on with it.
    package var waitingClock: any Clock<Duration> = ContinuousClock()
    /// How long a check waits for the store; then the items that need it are refused. No key of a configuration reaches it: a
    /// test's machine may be slow.
    package var storePatience = PositionGuard.patience
    /// How long after the last look of its followers the tail of the log is no longer read for all of them at once. No key of a
    /// configuration reaches it: a test's machine may be slow.
    package var followingPatience = Duration.seconds(5)

    /// How many commands one shard may hold, waiting or in a commit; more are refused as `overloaded`.
    package var commandsPerShard = 1_024
    /// The same in bytes of signed originals, so that large payloads cannot fill the memory.
    package var commandBytesPerShard = 4 << 20
    /// How many commands one commit of a shard takes at most.
    package var commandsPerBatch = 256
    /// How many bytes may wait for the committer, over all shards.
    package var journalBytes = 64 << 20
    /// How many full states a shard keeps loaded.
    package var statesPerShard = 256
    /// How many ids a shard keeps the entitlement rows of, for checks; one takes about 60 bytes.
    package var entitlementsPerShard = 8_192
    /// How many customers a node keeps what leads to them of, for checks; one takes about 2 KB.
    package var customersInMemory = 131_072
    /// How many overdue timers a shard fires in one go.
    package var timersPerBatch = 128

    /// For tests of what becomes of answers without `.tokens`.
    package var guards = Guards.all

    package init() {}
}
