package import Entitlements
package import ServiceContract

/// Holds the verdicts of one batch against the catalog. Its checks mostly name the same entitlement, which is looked up once.
package struct CatalogCheck {
    private let catalog: Catalog
    private var last: (name: String, products: Set<String>?)?

    package init(_ catalog: Catalog) { self.catalog = catalog }

    /// What a check is answered, whatever stream it is about: a name that the catalog does not have is a mistake of the
    /// caller, and no answer.
    /// - Parameters:
    ///   - result: of the stream itself.
    ///   - entitlement: nil asks for the stream itself.
    package mutating func result(_ result: CheckResult, for entitlement: String?) -> CheckResult {
        guard let entitlement else { return result }
        guard let products = self.products(granting: entitlement) else { return .refused(.unknownEntitlement) }
        guard case .verdict(var verdict) = result, verdict.reason == nil else { return result }
        if let product = verdict.productID, products.contains(product) { return result }
        verdict.entitled = false
        verdict.validUntil = nil
        verdict.reason = .otherProduct
        return .verdict(verdict)
    }

    private mutating func products(granting entitlement: String) -> Set<String>? {
        // Mostly the very same object.
        if let last, last.name == entitlement { return last.products }
        let products = self.catalog.products(granting: entitlement)
        self.last = (entitlement, products)
        return products
    }
}
