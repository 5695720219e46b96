package import Subscriptions

/// What really is true of one simulated subscription or purchase: recorded by the store as it happens, and never derived
/// from what was sent. It shares no rule with `Subscriptions`.
///
/// The state changes when the store concludes, which is when it signs, or at a date that its records foresee (the end of
/// a period that will not renew, of a grace period, of billing retry). Which transaction counted at a moment is told in
/// hindsight: the one whose period had begun last, as it stands today.
package struct Truth: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case subscribed, grace, retry, expired, revoked
        /// Of one-time purchases, which may be `revoked` as well.
        case owned
    }

    /// What is true at a moment.
    package struct Standing: Hashable, Sendable {
        package let state: State
        /// In grace what is being charged, else what was paid.
        package let productID: String
        package let transactionID: String
        /// End of the paid period; nil for a one-time purchase.
        package let expiresDate: Moment?
        /// End of the running grace period.
        package let gracePeriodExpiresDate: Moment?
        /// What is bought is used up, by the app: owning it is no access.
        package let isConsumable: Bool

        package var isEntitled: Bool {
            switch self.state {
            case .subscribed, .grace: true
            case .owned: !self.isConsumable
            case .retry, .expired, .revoked: false
            }
        }
    }

    private struct Condition: Hashable {
        let state: State
        let gracePeriodExpiresDate: Moment?
    }

    private struct Period: Hashable {
        let transactionID: String
        let productID: String
        let isConsumable: Bool
        let from: Moment
        var expiresDate: Moment?
    }

    package let originalTransactionID: String
    /// Where it was sold, if that is not where the simulated app sells.
    package let environment: AppStoreEnvironment?
    private var conditions = Timeline<Condition>()
    private var autoRenew = Timeline<Bool>()
    /// What the next renewal charges, by Apple's id.
    private var renewalProduct = Timeline<String>()
    /// Ascending by `from`.
    private var periods: [Period] = []

    init(originalTransactionID: String, environment: AppStoreEnvironment? = nil) {
        self.originalTransactionID = originalTransactionID
        self.environment = environment
    }

    // MARK: The store's pen

    mutating func set(_ state: State, grace: Moment? = nil, from moment: Moment) {
        self.conditions.set(Condition(state: state, gracePeriodExpiresDate: grace), from: moment)
    }

    mutating func set(_ terms: RenewalTerms, from moment: Moment) {
        self.autoRenew.set(terms.autoRenew, from: moment)
        if let product = terms.product { self.renewalProduct.set(product.id, from: moment) }
    }

    /// Also when the transaction is known already and was extended.
    mutating func set(_ transaction: StoreTransaction) {
        self.periods.removeAll { $0.transactionID == transaction.id }
        let period = Period(
            transactionID: transaction.id, productID: transaction.product.id,
            isConsumable: transaction.product.kind == .consumable, from: transaction.purchaseDate,
            expiresDate: transaction.expiresDate)
        let position = self.periods.firstIndex { $0.from > period.from } ?? self.periods.endIndex
        self.periods.insert(period, at: position)
    }

    // MARK: Questions

    /// nil before the first purchase.
    package func standing(at moment: Moment) -> Standing? {
        guard let condition = self.conditions[moment],
            let period = self.periods.last(where: { $0.from <= moment }) ?? self.periods.first
        else { return nil }
        let charged = condition.state == .grace ? self.renewalProduct[moment] : nil
        return Standing(
            state: condition.state, productID: charged ?? period.productID, transactionID: period.transactionID,
            expiresDate: period.expiresDate, gracePeriodExpiresDate: condition.gracePeriodExpiresDate,
            isConsumable: period.isConsumable)
    }

    /// Nothing was bought.
    var isEmpty: Bool { self.conditions.isEmpty }

    /// nil for a one-time purchase, and before the first.
    package func autoRenew(at moment: Moment) -> Bool? { self.autoRenew[moment] }

    /// Every moment at which the state changed or, if nothing more happens, will change.
    package var changes: [(from: Moment, value: Standing)] {
        self.conditions.changes.compactMap { change in self.standing(at: change.from).map { (change.from, $0) } }
    }

    /// Apple's `status` number; nil before the first purchase and for one-time purchases.
    package func status(at moment: Moment) -> Int? {
        switch self.conditions[moment]?.state {
        case .subscribed: 1
        case .expired: 2
        case .retry: 3
        case .grace: 4
        case .revoked: self.periods.first?.expiresDate == nil ? nil : 5
        case .owned, nil: nil
        }
    }
}
