import Subscriptions

extension String? {
    /// nil for an identifier of a deleted customer.
    var unlessErased: String? { self == ErasedIdentifiers.mark ? nil : self }
}
