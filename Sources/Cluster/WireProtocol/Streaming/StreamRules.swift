package import Customers
package import Subscriptions

/// By what a node answers for customers (proto: `Rules`).
package struct StreamRules: Hashable, Sendable {
    /// How customers of one app are told apart, and whose purchases in Sandbox count in Production.
    package struct App: Hashable, Sendable {
        package var tokens: TokenPolicy
        package var sandboxOfAnybody: Bool
        package var sandboxCustomers: Set<IdentifierHash>
        package var sandboxTokens: Set<IdentifierHash>

        package init(
            tokens: TokenPolicy = .id, sandboxOfAnybody: Bool = false, sandboxCustomers: Set<IdentifierHash> = [],
            sandboxTokens: Set<IdentifierHash> = []
        ) {
            self.tokens = tokens
            self.sandboxOfAnybody = sandboxOfAnybody
            self.sandboxCustomers = sandboxCustomers
            self.sandboxTokens = sandboxTokens
        }

        /// What is bought in Sandbox counts in Production for one of these, with this token.
        package func sandboxCounts(_ customers: [IdentifierHash], token: IdentifierHash?) -> Bool {
            self.sandboxOfAnybody || customers.contains(where: self.sandboxCustomers.contains)
                || token.map(self.sandboxTokens.contains) ?? false
        }
    }

    package struct CatalogEntry: Hashable, Sendable {
        package var entitlement: String
        package var products: [String]
        package var rank: Int

        package init(entitlement: String, products: [String], rank: Int) {
            self.entitlement = entitlement
            self.products = products
            self.rank = rank
        }
    }

    /// Of the store: 32 bytes.
    package var key: [UInt8]
    package var catalog: [CatalogEntry]
    package var nonRenewing: [String: Milliseconds]
    package var apps: [BundleID: App]
    /// Of apps that are not there.
    package var tokens: TokenPolicy

    package init(
        key: [UInt8], catalog: [CatalogEntry], nonRenewing: [String: Milliseconds] = [:], apps: [BundleID: App] = [:],
        tokens: TokenPolicy = .id
    ) {
        self.key = key
        self.catalog = catalog
        self.nonRenewing = nonRenewing
        self.apps = apps
        self.tokens = tokens
    }

    package func app(_ bundleID: BundleID) -> App { self.apps[bundleID] ?? App(tokens: self.tokens) }
}

/// Rules with the number that heads name them by.
package struct NumberedRules: Hashable, Sendable {
    /// Never 0.
    package var fingerprint: UInt32
    package var rules: StreamRules

    package init(_ fingerprint: UInt32, _ rules: StreamRules) {
        self.fingerprint = fingerprint
        self.rules = rules
    }
}
