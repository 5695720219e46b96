/// An event in an identifier's stream. It says which customer the identifier leads to. The kind of the stream tells an
/// `appAccountToken` from an `appTransactionId`.
package struct Registration: Hashable, Sendable {
    package enum Action: Int, Sendable, CaseIterable {
        /// The identifier leads to the customer, whomever it led to before.
        case registered = 1
        /// The identifier leads to no customer.
        case released = 2
    }

    package var action: Action
    /// In clear text: a token in lower case. nil once it has been erased.
    package var identifier: String?
    /// To whom it leads, or has led; nil once it has been erased.
    package var customer: CustomerID?
    /// The request has more to register, and takes this back where it cannot. Saying it once more without this makes it last.
    package var isProvisional: Bool
    /// Because of a link: it has registered the token of its stream, or was taken back.
    package var isByLink: Bool
    /// The name of the API token that asked.
    package var actor: String?

    package init(
        _ action: Action, of identifier: String?, _ customer: CustomerID?, isProvisional: Bool = false,
        isByLink: Bool = false, actor: String? = nil
    ) {
        self.action = action
        self.identifier = identifier
        self.customer = customer
        self.isProvisional = isProvisional
        self.isByLink = isByLink
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
