import Customers
import Entitlements
import EventLog
import Subscriptions
import WireProtocol

/// By what a mirror answers for customers.
final class MirroredRules: Sendable {
    let told: StreamRules
    let catalog: Catalog
    let derivation: DerivationRules
    let hashing: IdentifierKey
    /// The places of names in the catalog.
    let places: [String: Int]

    /// - Throws: when the key is none.
    init(_ told: StreamRules) throws(MirrorError) {
        guard let hashing = IdentifierKey(told.key) else {
            throw MirrorError(.malformed, "the key of a store has 32 bytes")
        }
        self.told = told
        self.hashing = hashing
        self.catalog = Catalog(
            told.catalog.map { Catalog.Entry(entitlement: $0.entitlement, products: $0.products, rank: $0.rank) })
        self.derivation = DerivationRules(nonRenewingDuration: told.nonRenewing)
        self.places = Dictionary(
            uniqueKeysWithValues: self.catalog.entitlements.enumerated().map { ($0.element, $0.offset) })
    }
}
