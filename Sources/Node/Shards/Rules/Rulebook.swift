package import Entitlements
package import EventLog
package import Subscriptions
import Synchronization

/// By what this node answers, and, once that is known, by what streams were told before, and what may be written.
package final class Rulebook: Sendable {
    private let rules: DerivationRules
    package let catalog: Catalog
    package let fingerprint: RulesFingerprint
    private let telling = Mutex<Reevaluator?>(nil)
    private let seenLevel = Mutex(FeatureLevel.first)

    package init(rules: DerivationRules, catalog: Catalog) {
        self.rules = rules
        self.catalog = catalog
        self.fingerprint = RulesFingerprint(rules)
    }

    /// nil until it is known what was told before: nothing is told of changed rules until then.
    package var reevaluator: Reevaluator? { self.telling.withLock { $0 } }

    /// The newest feature level that the store was seen at.
    package var level: FeatureLevel { self.seenLevel.withLock { $0 } }

    /// The store has this level, which never goes back.
    package func noteLevel(_ level: FeatureLevel) { self.seenLevel.withLock { $0 = max($0, level) } }

    /// Sets by what streams were told.
    /// - Parameters: as those of a `Reevaluator`.
    package func setHistory(_ history: CatalogHistory, earlier: [UInt64: Catalog]) {
        let reevaluator = Reevaluator(
            rules: self.rules, catalog: self.catalog, history: history, earlier: earlier)
        self.telling.withLock { $0 = reevaluator }
    }
}
