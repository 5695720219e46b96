/// An identifier that Apple's payloads carry and that a customer may register.
package enum RegistrableIdentifier: Hashable, Sendable {
    case token(AccountToken)
    /// Apple's `appTransactionId`: an Apple Account.
    case account(String)

    /// The identifier whose own stream is of this kind, in clear text; nil for other kinds, and for what is no such identifier.
    package init?(_ kind: StreamKind, _ text: String) {
        switch kind {
        case .token:
            guard let token = AccountToken(text) else { return nil }
            self = .token(token)
        case .account: self = .account(text)
        case .customer, .subscription, .purchase, .massExtension, .externalPurchase, .appTransaction, .test: return nil
        }
    }

    package var kind: IdentifierHash.Kind {
        switch self {
        case .token: .appAccountToken
        case .account: .appTransaction
        }
    }

    package var text: String {
        switch self {
        case .token(let token): token.rawValue
        case .account(let id): id
        }
    }
}
