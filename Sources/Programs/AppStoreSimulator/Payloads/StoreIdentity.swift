package import Subscriptions

/// The app whose sales are simulated, and where it is sold.
package struct StoreIdentity: Hashable, Sendable {
    package var bundleID: String
    package var appAppleID: Int64
    package var environment: AppStoreEnvironment

    package init(
        bundleID: String = "com.example.app", appAppleID: Int64 = 1_234_567_890,
        environment: AppStoreEnvironment = .production
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environment = environment
    }
}

extension StoreIdentity {
    /// The same app where this customer buys it.
    func selling(to customer: CustomerProfile) -> StoreIdentity {
        var store = self
        store.environment = customer.environment ?? self.environment
        return store
    }
}
