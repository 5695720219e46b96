/// Names what was paid once. Apple gives one payment a new `transactionId` on each device and with each restore, but one
/// `webOrderLineItemId`; where that is not said, the `transactionId` has to do. Later periods are greater.
package struct PeriodID: Hashable, Comparable, Sendable {
    package var purchaseDate: Moment
    /// The `webOrderLineItemId`, else the `transactionId`.
    package var key: String

    package init(purchaseDate: Moment, key: String) {
        self.purchaseDate = purchaseDate
        self.key = key
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.purchaseDate == right.purchaseDate
            ? left.key.isNumberedBefore(right.key) : left.purchaseDate < right.purchaseDate
    }
}

extension TransactionInfo {
    /// The period that it belongs to; of a one-time purchase all transactions are one.
    var rank: PeriodID {
        PeriodID(purchaseDate: self.start, key: self.lineItem ?? self.transactionID.rawValue)
    }

    /// The `purchaseDate`; without one it was before all else.
    var start: Moment { self.purchaseDate ?? .distantPast }

    /// The `webOrderLineItemId`, if it is one that a state keeps.
    var lineItem: String? {
        guard let id = self.webOrderLineItemID, (1...Self.longestLineItem).contains(id.utf8.count) else { return nil }
        return id
    }

    static let longestLineItem = 24
}
