/// What an event of an identifier's own stream says: to whom the identifier leads. The stream's kind says whether it is an
/// `appAccountToken` or an `appTransactionId`.
package struct Registration: Hashable, Sendable {
    package enum Action: Int, Sendable, CaseIterable {
        /// It leads to the customer, whomever it led to before.
        case registered = 1
        /// It leads to nobody.
        case released = 2
    }

    package var action: Action
    /// In clear text: a token in lower case. nil once it has been erased.
    package var identifier: String?
    /// To whom it leads, or has led; nil once it has been erased.
    package var customer: CustomerID?
    /// The request has more to register, and takes this back where it cannot. Saying it once more without this makes it last.
    package var isProvisional: Bool
    /// Who has asked: the name of an API token.
    package var actor: String?

    package init(
        _ action: Action, of identifier: String?, _ customer: CustomerID?, isProvisional: Bool = false,
        actor: String? = nil
    ) {
        self.action = action
        self.identifier = identifier
        self.customer = customer
        self.isProvisional = isProvisional
        self.actor = actor
    }
}

/// Somebody at the publisher's registers an identifier, or takes that back.
package struct RegistrationRequest: Hashable, Sendable {
    package var registration: Registration
    /// Of the identifier's stream, by which it was decided. At another one the request is refused, and decided anew.
    package var version: Int64

    package init(_ registration: Registration, at version: Int64) {
        self.registration = registration
        self.version = version
    }
}
