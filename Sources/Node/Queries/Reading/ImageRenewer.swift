import Entitlements
package import EventLog
package import Shards
package import Subscriptions
import Waiting
import WireProtocol

/// Gives subscribers what a check would be answered from: the stored entitlement where these settings and this logic made
/// it, else one that is made from the state; and what answers by customer need, which is always made from that.
package struct ImageRenewer: Sendable {
    private let store: any EventStore
    private let rules: DerivationRules
    private let customers: CustomerImages
    let fingerprint: RulesFingerprint
    private let watch: ClockWatch

    package init(store: any EventStore, rules: DerivationRules, hashing: IdentifierKey, watch: ClockWatch) {
        self.store = store
        self.rules = rules
        self.customers = CustomerImages(rules: rules, hashing: hashing)
        self.fingerprint = RulesFingerprint(rules)
        self.watch = watch
    }

    /// Of those streams that checks ask about; with customers, of those too that say whose they are.
    func images(of rows: [StreamRow], in shard: ShardID, withCustomers: Bool) async throws -> [SubscriptionImage] {
        let isAsStored = !withCustomers && rows.allSatisfy { !self.isOld($0) }
        guard !isAsStored else { return rows.compactMap { self.storedImage(of: $0) } }
        return try await FoldingThreads.shared.run {
            var images: [SubscriptionImage] = []
            images.reserveCapacity(rows.count)
            for row in rows {
                if let image = try await self.image(of: row, in: shard, withCustomers: withCustomers) {
                    images.append(image)
                }
            }
            return images
        }
    }

    /// Other rules have made its entitlement.
    private func isOld(_ row: StreamRow) -> Bool {
        Self.givesAccess(row) && EntitlementRow.fingerprint(of: row.entitlement) != self.fingerprint
    }

    private static func givesAccess(_ row: StreamRow) -> Bool {
        row.key.first.flatMap(StreamKind.init(rawValue:))?.givesAccess ?? false
    }

    private func storedImage(of row: StreamRow) -> SubscriptionImage? {
        guard Self.givesAccess(row) else { return nil }
        return SubscriptionImage(key: row.key, version: row.version, entitlement: row.entitlement)
    }

    private func image(
        of row: StreamRow, in shard: ShardID, withCustomers: Bool
    ) async throws -> SubscriptionImage? {
        guard let key = StreamKey(bytes: row.key) else { return nil }
        guard var image = self.storedImage(of: row) else {
            guard withCustomers, let customer = try await self.customer(of: row, key, in: shard) else { return nil }
            return SubscriptionImage(key: row.key, version: row.version, entitlement: [], customer: customer)
        }
        guard withCustomers || self.isOld(row) else { return image }
        let (state, moment) = (try await self.store.loadState(row, key: key, in: shard), self.watch.present)
        if withCustomers { image.customer = self.customers.image(of: state, row.version, from: moment)?.encoded() }
        if self.isOld(row) {
            let made = EntitlementRow(state: state, version: row.version.rawValue, from: moment, rules: self.rules)
            image.entitlement = made.encoded(under: self.fingerprint)
        }
        return image
    }

    /// What answers by customer need of a stream; nil where they need nothing.
    func customer(of row: StreamRow, _ key: StreamKey, in shard: ShardID) async throws -> [UInt8]? {
        if let kept = try await self.store.loadPublisherState(row, key: key, in: shard) {
            return self.customers.image(of: kept, row.version).encoded()
        }
        guard key.kind.givesAccess else { return nil }
        let state = try await self.store.loadState(row, key: key, in: shard)
        return self.customers.image(of: state, row.version, from: self.watch.present)?.encoded()
    }
}
