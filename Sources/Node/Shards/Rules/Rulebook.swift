package import Entitlements
package import Subscriptions
import Synchronization

/// By what this node answers, and, once that is known, by what streams were told before.
package final class Rulebook: Sendable {
    private let rules: DerivationRules
    package let catalog: Catalog
    package let fingerprint: RulesFingerprint
    private let telling = Mutex<Reevaluator?>(nil)

    package init(rules: DerivationRules, catalog: Catalog) {
        self.rules = rules
        self.catalog = catalog
        self.fingerprint = RulesFingerprint(rules)
    }

    /// nil until it is known what was told before: nothing is told of changed rules until then.
    package var reevaluator: Reevaluator? { self.telling.withLock { $0 } }

    /// Sets by what streams were told.
    /// - Parameters: as those of a `Reevaluator`.
    package func setHistory(_ history: CatalogHistory, earlier: [UInt64: Catalog]) {
        let reevaluator = Reevaluator(
            rules: self.rules, catalog: self.catalog, history: history, earlier: earlier)
        self.telling.withLock { $0 = reevaluator }
    }
}
