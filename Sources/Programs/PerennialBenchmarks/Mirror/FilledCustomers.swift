import Customers
import Entitlements
import EventLog
import Mirroring
import Ownership
import Subscriptions
import WireProtocol

/// A mirror that answers by customer: each customer has as many subscriptions, one of which is current, and perhaps a grant.
struct FilledCustomers {
    private let mirror: CustomerMirror
    /// How long the mirror took over images that lay ready.
    let took: Duration
    let rowCount: Int

    private static let start = Moment(milliseconds: 1_777_593_600_000)
    private static let bundle = BundleID(rawValue: "com.example.app")

    init(customers: Int, subscriptionsOfEach: Int, withGrants: Bool) throws {
        guard let map = ShardHash(shardCount: ShardHash.defaultShardCount),
            let hashing = IdentifierKey([UInt8](repeating: 7, count: 32))
        else { throw BenchmarkError("a store has so many shards, and its key 32 bytes") }
        let entitlements = EntitlementMirror(map: map)
        let mirror = CustomerMirror(beside: entitlements)
        try mirror.setRules(
            StreamRules(
                key: hashing.bytes,
                catalog: [StreamRules.CatalogEntry(entitlement: "pro", products: ["com.example.pro"], rank: 1)]))
        let ids = SubscriptionIDs(count: customers * subscriptionsOfEach)
        var took = Duration.zero
        for first in stride(from: 0, to: customers, by: 10_000) {
            var images: [(SubscriptionImage, ShardID)] = []
            for customer in first..<min(first + 10_000, customers) {
                let hash = hashing.hash(.customer, Self.id(customer))
                for number in 0..<subscriptionsOfEach {
                    let id = ids[customer * subscriptionsOfEach + number]
                    images.append(Self.held(id, by: hash, customer, isCurrent: number == 0, hashing, map))
                }
                if withGrants { images.append(Self.granted(hash, map)) }
            }
            let start = ContinuousClock.now
            for (image, shard) in images { try mirror.take(image, in: shard) }
            took += .now - start
        }
        for shard in map.shards {
            entitlements.setCurrent(shard, asOf: .now)
            mirror.setTellsOfCustomers(true, in: shard)
        }
        (self.mirror, self.took, self.rowCount) = (mirror, took, mirror.count)
    }

    static func id(_ customer: Int) -> String { "user-\(100_000_000 + customer)" }

    private static func held(
        _ id: String, by customer: IdentifierHash, _ number: Int, isCurrent: Bool, _ hashing: IdentifierKey,
        _ map: ShardHash
    ) -> (SubscriptionImage, ShardID) {
        let key = StreamKey(kind: .subscription, id: id, environment: .production, bundleID: self.bundle)
        func phase(_ state: LifecycleState, _ days: Int64) -> HeldStream.Phase {
            HeldStream.Phase(
                from: self.start + .days(days), state: state, entitled: state == .subscribed,
                code: CohortCode(state: state == .subscribed ? 5 : -5, offer: 0), productID: "com.example.pro",
                purchaseDate: self.start - .days(3), ownership: "PURCHASED")
        }
        let image = CustomerImage(
            version: StreamVersion(rawValue: 3),
            .held(
                LeadImage(
                    link: LeadImage.Link(customer: customer, isOverruled: false),
                    token: .carried(
                        hashing.hash(.appAccountToken, "\(number)"), asCustomer: hashing.hash(.customer, "\(number)")),
                    appTransaction: hashing.hash(.appTransaction, "\(number)")),
                isCurrent ? [phase(.subscribed, 0), phase(.expired, 30)] : [phase(.expired, -10)]))
        return (
            SubscriptionImage(
                key: key.bytes, version: StreamVersion(rawValue: 3), entitlement: [], customer: image.encoded()),
            map.shard(of: id)
        )
    }

    private static func granted(_ customer: IdentifierHash, _ map: ShardHash) -> (SubscriptionImage, ShardID) {
        let key = StreamKey(.customer, customer)
        let grant = Grant(
            id: "order-1", entitlement: "pro", reason: "", source: "", from: .distantPast,
            until: self.start + .days(5))
        let image = CustomerImage(version: StreamVersion(rawValue: 2), .granted(GrantedImage(grants: [grant])))
        return (
            SubscriptionImage(
                key: key.bytes, version: StreamVersion(rawValue: 2), entitlement: [], customer: image.encoded()),
            map.shard(of: key.id)
        )
    }

    /// Of the rows and their indexes, without those of entitlements.
    var bytesPerRow: Double { Double(self.mirror.bytes) / Double(self.rowCount) }

    /// - Returns: how many are entitled.
    func askOneByOne(_ customers: [CustomerID]) throws -> Int64 {
        var entitled: Int64 = 0
        for customer in customers {
            entitled +=
                try self.mirror.isEntitled(
                    customer, to: "pro", in: .production, at: Self.start + .days(1)) ? 1 : 0
        }
        return entitled
    }

    /// So many at a time.
    func askInBatches(_ customers: [CustomerID], of size: Int) throws -> Int64 {
        var entitled: Int64 = 0
        var answers: [Bool] = []
        for first in stride(from: 0, to: customers.count, by: size) {
            try self.mirror.areEntitled(
                customers[first..<min(first + size, customers.count)], to: "pro", in: .production,
                at: Self.start + .days(1), into: &answers)
            for answer in answers where answer { entitled += 1 }
        }
        return entitled
    }
}
