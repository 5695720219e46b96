package import Subscriptions

/// The outcome of a customer's request to register an identifier. An identifier that leads to another customer moves only where the
/// policy lets it (`customers.transfer`).
package enum RegistrationDecision: Hashable, Sendable {
    /// The customer has it already.
    case fulfilled
    /// The same; but what has registered it, a request or a link, may still take that back, unless it is said once more.
    case confirms
    case registers
    /// The identifier is another customer's.
    case refused

    /// - Parameters:
    ///   - customer: that asks, at the end of its moves, as are the others.
    ///   - registered: that has it by its row.
    ///   - carried: whose id the token is, where a stream that carries it leads there for that.
    ///   - isProvisional: what has registered it may still take that back.
    ///   - isActive: a stream that leads by it is entitled, or in billing retry.
    package init(
        by customer: IdentifierHash, registered: IdentifierHash?, carried: IdentifierHash?, isProvisional: Bool,
        isActive: Bool, policy: TransferPolicy
    ) {
        if registered == customer {
            self = isProvisional ? .confirms : .fulfilled
        } else if let holder = registered ?? carried, holder != customer {
            let mayMove =
                switch policy {
                case .transfer: true
                case .transferIfInactive: !isActive
                case .keep, .share: false
                }
            self = mayMove ? .registers : .refused
        } else {
            self = .registers
        }
    }
}
