import Subscriptions

/// What the publisher has the store do for one customer by its API.
extension Customer {
    /// What the store says when the publisher moves one renewal date.
    mutating func extend(_ originalTransactionID: String, days: Int64, at moment: Moment) -> Extension {
        guard let index = self.subscriptions.firstIndex(where: { $0.hasAccount(originalTransactionID) }) else {
            let isOther = self.purchases.contains { $0.truth.originalTransactionID == originalTransactionID }
            return .refused(isOther ? .extensionIneligible : .originalTransactionIDNotFound)
        }
        let life = self.subscriptions[index]
        guard life.purchaser.truth.originalTransactionID == originalTransactionID else {
            return .refused(.extensionOfFamily)
        }
        if let refusal = life.refusalOfExtension(at: moment) { return .refused(refusal) }
        let told = self.perform(.extend(by: .days(days)), on: index, at: moment)
        return .done(told, self.subscriptions[index].newest)
    }

    enum Extension {
        case done([StoreNotification], StoreTransaction)
        case refused(StoreAPIError)
    }

    /// The customer's part in an extension of everybody's renewal date that the publisher has asked for; nil for one who
    /// does not subscribe to the product.
    mutating func extend(
        _ product: Product, days: Int64, storefronts: [String]?, at moment: Moment
    ) -> (told: [StoreNotification], isExtended: Bool)? {
        guard storefronts?.contains(self.profile.storefront.country) ?? true,
            let life = self.subscriptions.first(where: { $0.isInService && $0.product == product })
        else { return nil }
        let fails = life.refusalOfExtension(at: moment) != nil
        return (self.extend(product, by: .days(days), fails: fails, at: moment), !fails)
    }

    /// - Returns: what forbids it.
    mutating func set(appAccountToken token: String, of originalTransactionID: String) -> StoreAPIError? {
        if let index = self.purchases.firstIndex(where: { $0.truth.originalTransactionID == originalTransactionID }) {
            self.purchases[index].set(appAccountToken: token)
            return nil
        }
        guard let index = self.subscriptions.firstIndex(where: { $0.hasAccount(originalTransactionID) }) else {
            return .transactionIDNotFound
        }
        guard self.subscriptions[index].purchaser.truth.originalTransactionID == originalTransactionID else {
            return .familyTransaction
        }
        self.subscriptions[index].accounts[0].set(appAccountToken: token)
        return nil
    }
}
