import Customers
package import Entitlements
package import EventLog
import Ownership
package import Shards
package import Subscriptions
import WireProtocol

/// What a node answers for customers by, as subscribers are told.
package struct ToldRules: Sendable {
    let numbered: NumberedRules

    package init(
        _ catalog: Catalog, _ rules: DerivationRules, _ policies: CustomerPolicies, hashing: IdentifierKey
    ) {
        let bundles = Set(policies.tokensByApp.keys).union(policies.sandboxByApp.keys)
        let apps = bundles.map { ($0, StreamRules.App(policies, of: $0, hashing)) }
        let told = StreamRules(
            key: hashing.bytes,
            catalog: catalog.entries.map {
                StreamRules.CatalogEntry(entitlement: $0.entitlement, products: $0.products, rank: $0.rank)
            },
            nonRenewing: rules.nonRenewingDuration, apps: Dictionary(uniqueKeysWithValues: apps),
            tokens: policies.tokens)
        let digest = IDDigest(utf8: StreamAnswer(id: 0, .rules(NumberedRules(0, told))).encoded()[...])
        self.numbered = NumberedRules(UInt32(truncatingIfNeeded: digest.low) | 1, told)
    }
}

extension StreamRules.App {
    fileprivate init(_ policies: CustomerPolicies, of app: BundleID, _ hashing: IdentifierKey) {
        self.init(tokens: policies.rules(of: app).tokens)
        switch policies.sandbox(of: app) {
        case .nobody: break
        case .anybody: self.sandboxOfAnybody = true
        case .listed(let customers, let tokens):
            self.sandboxCustomers = Set(customers.map { hashing.hash(.customer, $0.rawValue) })
            self.sandboxTokens = Set(tokens.map { hashing.hash(.token($0)) })
        }
    }
}
