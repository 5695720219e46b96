package import Subscriptions

/// Names an app the way callers do: the bundle may be left out where only one is configured.
package struct AppReference: Hashable, Sendable {
    package var bundleID: BundleID?
    package var environment: AppStoreEnvironment

    package init(bundleID: BundleID? = nil, environment: AppStoreEnvironment = .production) {
        self.bundleID = bundleID
        self.environment = environment
    }
}
