/// The word of Apple's `type` that decides by itself.
private let consumable = "Consumable"

extension TransactionInfo {
    /// It is used up, by the app alone: it never gives access, whatever the catalog says.
    var isConsumable: Bool { self.productType == consumable }
}

extension SubscriptionSnapshot {
    /// It is used up, by the app alone: it never gives access, whatever the catalog says.
    package var isConsumable: Bool { self.productType == consumable }
}
