/// The words of Apple's `type` that decide by themselves.
let consumableType = "Consumable"
private let nonRenewingType = "Non-Renewing Subscription"

/// Apple's `type`, as far as it is documented.
private let knownTypes = ["Auto-Renewable Subscription", "Non-Consumable", consumableType, nonRenewingType]

extension TransactionInfo {
    /// Apple names a type that did not exist when this was written. It counts as the stream's other types do.
    var hasUnknownType: Bool { self.productType.map { !knownTypes.contains($0) } ?? false }

    /// It is used up, by the app alone: it never gives access, whatever the catalog says.
    var isConsumable: Bool { self.productType == consumableType }

    /// It gives access for a time that the app alone knows.
    var isNonRenewing: Bool { self.productType == nonRenewingType }
}
