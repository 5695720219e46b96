import Entitlements
package import EventLog
package import Shards
package import Subscriptions
import Waiting
import WireProtocol

/// Gives subscribers what a check would be answered from: the stored entitlement where these settings and this logic made
/// it, else one that is made from the state.
package struct ImageRenewer: Sendable {
    private let store: any EventStore
    private let rules: DerivationRules
    let fingerprint: RulesFingerprint
    private let watch: ClockWatch

    package init(store: any EventStore, rules: DerivationRules, watch: ClockWatch) {
        self.store = store
        self.rules = rules
        self.fingerprint = RulesFingerprint(rules)
        self.watch = watch
    }

    /// nil for a stream that no check asks about.
    func image(of row: StreamRow, in shard: ShardID) async throws -> SubscriptionImage? {
        guard let kind = row.key.first.flatMap(StreamKind.init(rawValue:)), kind.givesAccess else { return nil }
        var image = SubscriptionImage(key: row.key, version: row.version, entitlement: row.entitlement)
        guard EntitlementRow.fingerprint(of: row.entitlement) != self.fingerprint, let key = StreamKey(bytes: row.key)
        else { return image }
        image.entitlement = try await FoldingThreads.shared.run {
            let state = try await self.store.loadState(row, key: key, in: shard)
            let made = EntitlementRow(
                state: state, version: row.version.rawValue, from: self.watch.present, rules: self.rules)
            return made.encoded(under: self.fingerprint)
        }
        return image
    }
}
