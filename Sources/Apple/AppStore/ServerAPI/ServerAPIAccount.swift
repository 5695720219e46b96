package import Subscriptions

/// One app in one environment, as the App Store Server API knows it.
package struct ServerAPIAccount: Hashable, Sendable {
    package var bundleID: BundleID
    /// The app's number in the store; Sandbox knows none.
    package var appAppleID: Int64?
    package var environment: AppStoreEnvironment

    package init(bundleID: BundleID, appAppleID: Int64? = nil, environment: AppStoreEnvironment) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environment = environment
    }

    /// Where Apple serves this environment; nil for Xcode and LocalTesting, which have no Server API.
    package static func appleBaseURL(in environment: AppStoreEnvironment) -> String? {
        switch environment {
        case .production: "https://api.storekit.apple.com"
        case .sandbox: "https://api.storekit-sandbox.apple.com"
        default: nil
        }
    }
}
