/// The word of Apple's `type` that decides by itself.
let consumableType = "Consumable"

/// Apple's `type`, as far as it is documented.
private let knownTypes = ["Auto-Renewable Subscription", "Non-Consumable", consumableType, "Non-Renewing Subscription"]

extension TransactionInfo {
    /// Apple names a type that did not exist when this was written. It counts as the stream's other types do.
    var hasUnknownType: Bool { self.productType.map { !knownTypes.contains($0) } ?? false }

    /// It is used up, by the app alone: it never gives access, whatever the catalog says.
    var isConsumable: Bool { self.productType == consumableType }
}
