extension Catalog {
    /// The names that `product` grants, sorted.
    package func names(grantedBy product: String?) -> [String] {
        guard let product else { return [] }
        return self.entitlements.filter { self.rank(of: product, granting: $0) != nil }.sorted()
    }

    /// Products that grant other names there than here.
    func products(grantedOtherwiseBy other: Catalog) -> Set<String> {
        Set((self.entries + other.entries).flatMap(\.products)).filter {
            self.names(grantedBy: $0) != other.names(grantedBy: $0)
        }
    }

    /// Of which product grants which name: the same in every process, in whatever order it was configured. Ranks do not count,
    /// since they decide nothing about one stream.
    package var fingerprint: UInt64 {
        var hash = StableHash()
        for name in self.entitlements.sorted() {
            hash.combine(name)
            let products = (self.products(granting: name) ?? []).sorted()
            hash.combine(Int64(products.count))
            for product in products { hash.combine(product) }
        }
        return hash.value
    }
}
