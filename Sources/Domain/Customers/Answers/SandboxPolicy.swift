package import Subscriptions

/// Whose purchases in Sandbox count for checks in Production (`apps[].sandboxCounts`). App Review and TestFlight buy in Sandbox with
/// the very app that is sold.
package enum SandboxPolicy: Hashable, Sendable {
    case nobody
    /// Those of these customers, and those that carry one of these tokens.
    case listed(customers: Set<CustomerID>, tokens: Set<AccountToken>)
    case anybody

    /// - Parameter token: that the purchase carries.
    package func counts(_ customer: CustomerID, token: AccountToken?) -> Bool {
        switch self {
        case .nobody: false
        case .listed(let customers, let tokens):
            customers.contains(customer) || token.map { tokens.contains($0) } ?? false
        case .anybody: true
        }
    }
}
