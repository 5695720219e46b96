package import Subscriptions

/// The apps that a node serves.
package struct AppDirectory: Sendable {
    private let apps: [BundleID: AppIdentity]

    /// - Throws: when a bundle is there twice, and when apps of Xcode or LocalTesting stand beside others: whether
    ///   signatures count is decided before a payload is read, never by what it says.
    package init(_ apps: [AppIdentity]) throws(AppStoreConfigurationError) {
        var directory: [BundleID: AppIdentity] = [:]
        for app in apps {
            guard directory.updateValue(app, forKey: app.bundleID) == nil else {
                throw AppStoreConfigurationError("\(app.bundleID.rawValue) is configured twice")
            }
        }
        guard Set(apps.map(\.isUnsigned)).count <= 1 else {
            throw AppStoreConfigurationError("Xcode and LocalTesting cannot be served beside signed environments")
        }
        self.apps = directory
    }

    package subscript(bundleID: BundleID) -> AppIdentity? { self.apps[bundleID] }

    var isUnsigned: Bool { self.apps.values.contains { $0.isUnsigned } }
    var roots: Set<TrustedRoot> { self.apps.values.reduce(into: []) { $0.formUnion($1.roots) } }
}
