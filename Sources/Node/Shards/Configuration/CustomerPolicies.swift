package import Customers
package import Subscriptions

/// From `customers` and `apps[].customers`: whose links win.
package struct CustomerPolicies: Hashable, Sendable {
    /// Of apps that have none of their own.
    package var transfer = TransferPolicy.keep
    package var transferByApp: [BundleID: TransferPolicy] = [:]

    package init() {}

    package func rules(of app: BundleID) -> CustomerRules {
        CustomerRules(transfer: self.transferByApp[app] ?? self.transfer)
    }
}
