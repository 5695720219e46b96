/// Names the settings by which a node answers, and what it knows of those by which streams were told. Two nodes of the same mark find the
/// same to tell.
package struct RulesMark: Hashable, Sendable {
    /// Of the rules, and of the binary's logic.
    package var rules: UInt32
    /// Of what the catalog grants.
    package var catalog: UInt64
    /// Of the catalogs by which streams were told.
    package var history: UInt64

    package init(rules: UInt32, catalog: UInt64, history: UInt64) {
        self.rules = rules
        self.catalog = catalog
        self.history = history
    }

    /// Whether both answer alike.
    package func answersLike(_ other: Self) -> Bool { self.rules == other.rules && self.catalog == other.catalog }
}
