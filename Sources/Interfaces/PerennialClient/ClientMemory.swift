import EventLog
import Logging
import Mirroring
import Ownership
import Synchronization
import WireProtocol

/// What a client keeps of a store.
final class ClientMemory: StreamSink {
    let entitlements: EntitlementMirror
    /// nil where customers are not followed.
    let customers: CustomerMirror?
    private let logger: Logger

    init(_ entitlements: EntitlementMirror, withCustomers: Bool, logger: Logger) {
        self.entitlements = entitlements
        self.logger = logger
        self.customers = withCustomers ? CustomerMirror(beside: entitlements) : nil
    }

    // Customers come first: what is answered for a position is as new.

    func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        self.takeCustomer(image, in: shard, .olderVersion)
        try self.entitlements.take(image, in: shard)
    }

    func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        self.takeCustomer(image, in: shard, .sameVersion)
        try self.entitlements.renew(image, in: shard)
    }

    /// Answers by subscription go on where those by customer cannot.
    private func takeCustomer(_ image: SubscriptionImage, in shard: ShardID, _ replacing: ReplacedRow) {
        do throws(MirrorError) { try self.customers?.take(image, in: shard, replacing) } catch {
            self.logger.error(
                "Questions about customers are not answered",
                metadata: ["shard": "\(shard.rawValue)", "error": "\(error.message)"])
        }
    }

    func setPosition(_ position: Position) { self.entitlements.setPosition(position) }

    func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {
        self.entitlements.setCurrent(shard, asOf: moment)
    }

    func setRules(_ rules: StreamRules) throws(MirrorError) { try self.customers?.setRules(rules) }

    func setTellsOfCustomers(_ tells: Bool, in shard: ShardID) {
        self.customers?.setTellsOfCustomers(tells, in: shard)
    }

    func beginRestart(of shard: ShardID) {
        self.entitlements.beginRestart(of: shard)
        self.customers?.beginRestart(of: shard)
    }

    func endRestart(of shard: ShardID) {
        self.customers?.endRestart(of: shard)
        self.entitlements.endRestart(of: shard)
    }
}

/// The memory of the first store that is heard of. Read without a lock.
final class LazyMirror: Sendable {
    private let reference = AtomicLazyReference<ClientMemory>()

    var memory: ClientMemory? { self.reference.load() }
    var value: EntitlementMirror? { self.memory?.entitlements }

    /// nil for a store that cannot be.
    func make(_ shardCount: Int, _ configuration: PerennialClient.Configuration) -> ClientMemory? {
        ShardHash(shardCount: shardCount).map { map in
            self.reference.storeIfNil(
                ClientMemory(
                    EntitlementMirror(map: map, staleness: configuration.staleness),
                    withCustomers: configuration.followsCustomers, logger: configuration.logger))
        }
    }
}
