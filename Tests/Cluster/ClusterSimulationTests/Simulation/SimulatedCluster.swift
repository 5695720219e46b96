import EventLog
import Ownership

/// A cluster in one thread: nodes, the network between them, their database, and whoever calls them, all moved on by one
/// timeline and one source of chance, so that a seed tells the whole story.
final class SimulatedCluster {
    enum Reply<Value> {
        case done(Value)
        /// Certainly not done.
        case refused
        /// Nobody knows whether it was done, or will be.
        case unknown
    }

    let guards: Guards
    let configuration: SimulationConfiguration
    let timeline = Timeline()
    var random: SeededRandom
    var store: SimulatedStore
    var nodes: [SimulatedNode] = []
    let history: History

    var incarnations: Int64 = 0
    var isStoreUp = true
    var storeDownSince = Duration.zero
    /// When it came back after more than a short while.
    var storeUpSince = Duration.zero
    var saved: SimulatedStore
    /// Ways between nodes on which nothing goes.
    var cutWays: Set<Way> = []
    var cutFromStore: Set<NodeID> = []
    /// Nodes at whose addresses nobody listens, though they live.
    var refusing: Set<NodeID> = []
    let lease: Duration
    /// Of all messages.
    let loss: Double
    /// The database may fail over to one that lacks its last commits.
    let storeMayLose: Bool
    /// Nearly all calls are questions: no owner learns soon from an append what he has missed.
    let isQuiet: Bool
    /// Nothing goes wrong any more.
    var isCalm = false
    /// How often each had an effect.
    private(set) var troubles: [Trouble: Int] = [:]

    init(seed: UInt64, guards: Guards = Guards(), configuration: SimulationConfiguration = SimulationConfiguration()) {
        self.guards = guards
        self.configuration = configuration
        self.random = SeededRandom(seed: seed)
        let isPatient = self.random.chance(0.25)
        self.lease = configuration.lease ?? .seconds(isPatient ? 6 : 3)
        self.loss = [0.002, 0.02, 0.1, 0.3].randomElement(using: &self.random) ?? 0
        self.storeMayLose = self.random.chance(0.25)
        self.isQuiet = self.random.chance(0.25)
        self.store = SimulatedStore(shardCount: configuration.shards, guards: guards)
        self.saved = self.store
        self.history = History(shardCount: configuration.shards)
        var terms = LeaseTerms(length: self.lease)
        terms.settling = .seconds(1)
        if !guards.unbrokenReadings { terms.longestReadingGap = .seconds(1_000_000) }
        for number in 0..<configuration.nodes {
            self.nodes.append(
                SimulatedNode(
                    NodeID(rawValue: "node-\(number)"), in: self, terms: terms,
                    rate: Double.random(in: 0.98...1.02, using: &self.random),
                    offset: .seconds(Int.random(in: 0...1_000_000, using: &self.random))))
        }
    }

    /// Lives through it all, then lets everything heal and looks at what is there.
    /// - Returns: what must not be; empty when all is well.
    func run() -> [String] {
        for node in self.nodes { self.after(self.random.duration(0...500)) { node.start() } }
        self.after(.seconds(1)) {
            self.disturb()
            self.call()
            self.move()
            self.saveNow()
        }
        self.timeline.run(until: self.configuration.length)
        self.heal()
        self.timeline.run(until: self.configuration.length + .seconds(6))
        // A shard may just be on its way, and so may a late message.
        for _ in 0..<40 where !self.isServed || !self.store.inbox.rows.isEmpty {
            self.timeline.run(until: self.now + .milliseconds(500))
        }
        self.history.judge(self.store, nodes: self.nodes)
        return self.history.violations
    }

    var isServed: Bool {
        self.store.shards.indices.allSatisfy { shard in
            self.nodes.contains { $0.serves(ShardID(rawValue: UInt16(shard)), as: self.store.shards[shard].owner) }
        }
    }

    var now: Duration { self.timeline.now }

    func after(_ delay: Duration, _ body: @escaping () -> Void) { self.timeline.after(delay, body) }

    func newIncarnation() -> Incarnation {
        self.incarnations += 1
        return Incarnation(rawValue: self.incarnations)
    }

    func note(_ trouble: Trouble) { self.troubles[trouble, default: 0] += 1 }

    var computing: Duration { self.random.duration(0...20) }
}
