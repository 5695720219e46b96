package import Entitlements

/// Checks a catalog against the products that a node has: which grant what, and which grant nothing.
package struct CatalogReview {
    package struct Product: Hashable {
        package var id: String
        /// The names that the catalog gives it, sorted.
        package var entitlements: [String]
        /// Subscriptions and purchases that it is served to, and those of them that give access.
        package var streams = 0
        package var entitled = 0
    }

    private let catalog: Catalog
    private let durations: Set<String>
    private var seen: [String: Product] = [:]
    private var subscribed: Set<String> = []

    /// - Parameter durations: the products of `entitlements.nonRenewing`.
    package init(_ catalog: Catalog, durations: Set<String>) {
        self.catalog = catalog
        self.durations = durations
        for product in catalog.entries.flatMap(\.products) { self.seen[product] = self.product(product) }
    }

    private func product(_ id: String) -> Product {
        Product(id: id, entitlements: self.catalog.names(grantedBy: id))
    }

    /// Takes account of one subscription or purchase.
    package mutating func see(_ id: String, isSubscription: Bool, isEntitled: Bool) {
        var product = self.seen[id] ?? self.product(id)
        product.streams += 1
        if isEntitled { product.entitled += 1 }
        self.seen[id] = product
        if isSubscription { self.subscribed.insert(id) }
    }

    /// Of the catalog and of the node, sorted.
    package var products: [Product] { self.seen.values.sorted { $0.id < $1.id } }

    /// Products that give access now and would grant no entitlement; a sentence each.
    package var mistakes: [String] {
        self.products.filter { $0.entitled > 0 && $0.entitlements.isEmpty }.map { product in
            "\(product.id): \(product.entitled) of \(product.streams) give access, and no entitlement of the catalog has it"
        }
    }

    /// What looks like a slip; a sentence each.
    package var warnings: [String] {
        let unused = self.products.filter { $0.streams == 0 }.map { "\($0.id): nobody has it" }
        let names = Dictionary(grouping: self.catalog.entitlements) { $0.lowercased() }
        let alike = names.values.filter { $0.count > 1 }.map { names in
            "\(names.sorted().joined(separator: ", ")): the names differ in case alone, and are entitlements of their own"
        }
        let renewing = self.durations.intersection(self.subscribed).map { product in
            "\(product): it renews by itself, so that its duration in entitlements.nonRenewing does not count"
        }
        return (unused + alike + renewing).sorted()
    }
}
