/// Which products grant which entitlement (`entitlements.catalog`).
package struct Catalog: Sendable {
    package struct Entry: Hashable, Sendable {
        package var entitlement: String
        package var products: [String]
        /// Rank among entitlements: higher is more.
        package var level: Int

        package init(entitlement: String, products: [String], level: Int = 1) {
            self.entitlement = entitlement
            self.products = products
            self.level = level
        }
    }

    /// As they were configured.
    package let entries: [Entry]
    private let products: [String: Set<String>]

    /// Entries of one entitlement add up.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
        self.products = entries.reduce(into: [:]) { $0[$1.entitlement, default: []].formUnion($1.products) }
    }

    /// The products access to which is access to `entitlement`; nil for an entitlement that is not in the catalog.
    package func products(granting entitlement: String) -> Set<String>? { self.products[entitlement] }

    /// Every entitlement that `productID` grants, the highest level first.
    package func entitlements(of productID: String) -> [String] {
        let granting = self.entries.filter { $0.products.contains(productID) }
        let levels = Dictionary(granting.map { ($0.entitlement, $0.level) }, uniquingKeysWith: max)
        return levels.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
