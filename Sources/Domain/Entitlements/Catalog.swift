/// Which products grant which entitlement (`entitlements.catalog`), and how much each is worth.
package struct Catalog: Sendable {
    package struct Entry: Hashable, Sendable {
        package var entitlement: String
        package var products: [String]
        /// Among all that grant something: higher is more. App Store Connect counts its levels the other way round.
        package var rank: Int

        package init(entitlement: String, products: [String], rank: Int = 1) {
            self.entitlement = entitlement
            self.products = products
            self.rank = rank
        }
    }

    /// As they were configured.
    package let entries: [Entry]
    /// Every name, in the order of the entries.
    package let entitlements: [String]
    private let products: [String: Set<String>]
    private let ranks: [Grant: Int]
    private let highestRanks: [String: Int]

    private struct Grant: Hashable {
        let entitlement: String
        let product: String
    }

    /// Entries of one entitlement add up.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
        self.products = entries.reduce(into: [:]) { $0[$1.entitlement, default: []].formUnion($1.products) }
        self.entitlements = entries.reduce(into: []) { if !$0.contains($1.entitlement) { $0.append($1.entitlement) } }
        self.highestRanks = Dictionary(entries.map { ($0.entitlement, $0.rank) }, uniquingKeysWith: max)
        self.ranks = entries.reduce(into: [:]) { ranks, entry in
            for product in entry.products {
                let grant = Grant(entitlement: entry.entitlement, product: product)
                ranks[grant] = max(ranks[grant] ?? entry.rank, entry.rank)
            }
        }
    }

    /// The products access to which is access to `entitlement`; nil for an entitlement that is not in the catalog.
    package func products(granting entitlement: String) -> Set<String>? { self.products[entitlement] }

    /// The highest rank by which `productID` grants `entitlement`; nil when it does not.
    package func rank(of productID: String, granting entitlement: String) -> Int? {
        self.ranks[Grant(entitlement: entitlement, product: productID)]
    }

    /// The highest rank that `entitlement` has; nil for one that is not in the catalog.
    package func highestRank(of entitlement: String) -> Int? { self.highestRanks[entitlement] }
}
