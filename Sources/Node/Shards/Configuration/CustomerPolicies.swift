package import Customers
package import Subscriptions

/// From `customers`, `apps[].customers` and `apps[].sandboxCounts`: whose links win, and whose purchases in Sandbox count.
package struct CustomerPolicies: Hashable, Sendable {
    /// Of apps that have none of their own.
    package var transfer = TransferPolicy.keep
    package var transferByApp: [BundleID: TransferPolicy] = [:]
    /// Likewise.
    package var tokens = TokenPolicy.id
    package var tokensByApp: [BundleID: TokenPolicy] = [:]

    /// `nobody` for an app that is not here.
    package var sandboxByApp: [BundleID: SandboxPolicy] = [:]

    package init() {}

    package func rules(of app: BundleID) -> CustomerRules {
        CustomerRules(
            transfer: self.transferByApp[app] ?? self.transfer, tokens: self.tokensByApp[app] ?? self.tokens)
    }

    package func sandbox(of app: BundleID) -> SandboxPolicy { self.sandboxByApp[app] ?? .nobody }
}
