/// What leads to a deleted customer, in clear text. A mark replaces each identifier that Apple's payloads carry: it counts as carried, and
/// leads nowhere.
package struct ErasedIdentifiers: Hashable, Sendable {
    /// The customer, and all who have moved to it.
    package var customers: Set<CustomerID>
    package var identifiers: Set<RegistrableIdentifier>

    /// In the place of an identifier that Apple's payloads carry: no token, and nobody's Apple Account.
    package static let mark = "erased"

    package init(customers: Set<CustomerID> = [], identifiers: Set<RegistrableIdentifier> = []) {
        self.customers = customers
        self.identifiers = identifiers
    }

    package var isEmpty: Bool { self.customers.isEmpty && self.identifiers.isEmpty }

    package func contains(_ customer: CustomerID?) -> Bool { customer.map(self.customers.contains) ?? false }

    package func contains(_ token: AccountToken?) -> Bool {
        token.map { self.identifiers.contains(.token($0)) } ?? false
    }

    /// - Parameter text: an `appAccountToken` as a payload spells it.
    package func contains(token text: String?) -> Bool { self.contains(text.flatMap(AccountToken.init)) }

    /// - Parameter text: an `appTransactionId`.
    package func contains(account text: String?) -> Bool {
        text.map { self.identifiers.contains(.account($0)) } ?? false
    }
}
