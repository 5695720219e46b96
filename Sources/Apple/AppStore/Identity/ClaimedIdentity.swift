import Subscriptions

/// What a payload says of the app it is about.
struct ClaimedIdentity: Hashable, Sendable {
    var bundleID: BundleID?
    var environment: AppStoreEnvironment?
    /// nil in Sandbox, or 0. Transactions never carry it.
    var appAppleID: Int64?
    var carriesAppAppleID = true

    /// The app this is about. App first, then environment, as Apple's libraries have it.
    func app(in apps: AppDirectory) throws(Rejection) -> (AppIdentity, AppStoreEnvironment) {
        guard let bundleID = self.bundleID, let app = apps[bundleID] else {
            throw .misfit(.unknownApp, .invalidAppIdentifier, "no configured app has this bundle id")
        }
        guard self.matchesAppAppleID(of: app) else {
            throw .misfit(.unknownApp, .invalidAppIdentifier, "the appAppleId is not that of the configured app")
        }
        guard let environment = self.environment, app.environments.contains(environment) else {
            throw .misfit(.wrongEnvironment, .invalidEnvironment, "the app is not served in this environment")
        }
        return (app, environment)
    }

    /// Compared in Production, and where an unserved environment makes a stranger likely.
    private func matchesAppAppleID(of app: AppIdentity) -> Bool {
        guard self.carriesAppAppleID, app.environments.contains(.production) else { return true }
        if self.environment == .production { return self.appAppleID == app.appAppleID }
        let isServed = self.environment.map(app.environments.contains) ?? false
        return isServed || [nil, 0, app.appAppleID].contains(self.appAppleID)
    }
}
