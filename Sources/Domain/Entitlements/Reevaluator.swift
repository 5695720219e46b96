package import Subscriptions

/// Finds out of a stream whether changed rules, catalog or logic answer otherwise than it was told, though no fact has come.
/// Pure: what a stream was told is in its stored row, which names the rules that made it and the moment at which it was made.
package struct Reevaluator: Sendable {
    /// By what answers are made now, and by what streams were told.
    package let mark: RulesMark
    private let rules: DerivationRules
    private let fingerprint: RulesFingerprint
    private let catalog: Catalog
    private let history: CatalogHistory
    /// By fingerprint.
    private let earlier: [UInt64: Catalog]
    /// Of each of these the products that grant other names now.
    private let changed: [UInt64: Set<String>]

    /// - Parameters:
    ///   - history: ends with `catalog`, unless another node has taken up a newer one.
    ///   - earlier: the catalogs of the history by fingerprint. Streams that were told by a missing one are not told of the catalog.
    package init(
        rules: DerivationRules, catalog: Catalog, history: CatalogHistory, earlier: [UInt64: Catalog]
    ) {
        self.rules = rules
        self.fingerprint = RulesFingerprint(rules)
        self.catalog = catalog
        self.history = history
        self.earlier = earlier
        self.changed = earlier.mapValues { $0.products(grantedOtherwiseBy: catalog) }
        self.mark = RulesMark(
            rules: self.fingerprint.rawValue, catalog: catalog.fingerprint, history: history.fingerprint)
    }

    /// Whether the answer may have changed since the row was stored; without the state of the stream.
    /// - Parameters:
    ///   - moment: up to which the stream's transitions have been told.
    ///   - knowsCatalog: it was told by the present catalog, whatever clocks say.
    package func mayConcern(_ row: [UInt8], at moment: Moment, knowsCatalog: Bool = false) -> Bool {
        if self.isMadeByOthers(row) { return !row.isEmpty }
        guard !knowsCatalog, !self.history.isSettled, let told = try? EntitlementRow(decoding: row),
            let product = told.answer(at: told.moment(from: moment)).productID
        else { return false }
        return self.changed[self.catalogTold(told)]?.contains(product) ?? false
    }

    /// No other node has taken up another catalog since.
    package var isNewest: Bool { self.history.newest == self.mark.catalog }

    /// Whether the row has to be made anew, whatever it says.
    package func isMadeByOthers(_ row: [UInt8]) -> Bool {
        EntitlementRow.fingerprint(of: row) != self.fingerprint
    }

    /// nil when a stream answers at `moment` as it was told.
    /// - Parameters:
    ///   - row: as stored with the newest event.
    ///   - moment: up to which the stream's transitions have been told: what comes after is told by its timer.
    ///   - knowsCatalog: as above.
    package func reevaluation(
        of row: [UInt8], _ state: StreamState, at moment: Moment, knowsCatalog: Bool = false
    ) -> Reevaluation? {
        guard self.mayConcern(row, at: moment, knowsCatalog: knowsCatalog),
            let told = try? EntitlementRow(decoding: row)
        else { return nil }
        let moment = told.moment(from: moment)
        let made = EntitlementRow(state: state, version: told.version, from: moment, rules: self.rules)
        let catalogBefore = knowsCatalog ? self.catalog : self.earlier[self.catalogTold(told)] ?? self.catalog
        let previous = Reevaluation.Answer(told.answer(at: moment), catalogBefore)
        let current = Reevaluation.Answer(made.answer(at: moment), self.catalog)
        return previous == current ? nil : Reevaluation(previous: previous, current: current)
    }

    private func catalogTold(_ row: EntitlementRow) -> UInt64 {
        row.phases.first.map { self.history.catalog(at: $0.from) } ?? self.history.newest
    }
}

extension EntitlementRow {
    /// A row says nothing of what was before it was made.
    fileprivate func moment(from moment: Moment) -> Moment { max(moment, self.phases.first?.from ?? moment) }
}

extension Reevaluation.Answer {
    fileprivate init(_ answer: CheckAnswer, _ catalog: Catalog) {
        self.init(
            entitled: answer.entitled, state: answer.state, code: answer.code.description, productID: answer.productID,
            validUntil: answer.validUntil,
            entitlements: answer.entitled ? catalog.names(grantedBy: answer.productID) : [])
    }
}
