package import Subscriptions

/// What a configuration says of one app: whose payloads to accept, and which roots may vouch for them.
package final class AppIdentity: Sendable {
    package let bundleID: BundleID
    /// The app's number in the store; compared in Production only, where it is mandatory.
    package let appAppleID: Int64?
    package let environments: Set<AppStoreEnvironment>
    package let roots: Set<TrustedRoot>

    /// - Throws: when Production lacks its `appAppleID`, when signatures are to be checked without a root, and when
    ///   Xcode or LocalTesting, which are not signed by Apple, are mixed with environments that are.
    package init(
        bundleID: BundleID, appAppleID: Int64? = nil, environments: Set<AppStoreEnvironment>, roots: Set<TrustedRoot>
    ) throws(AppStoreConfigurationError) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
        self.roots = roots
        let signed: Set<AppStoreEnvironment> = [.production, .sandbox]
        let unsigned: Set<AppStoreEnvironment> = [.xcode, .localTesting]
        guard !environments.isEmpty, environments.isSubset(of: signed) || environments.isSubset(of: unsigned) else {
            throw AppStoreConfigurationError(
                "environments of \(bundleID.rawValue) are Production and Sandbox, or in a demo Xcode and LocalTesting"
            )
        }
        guard !environments.contains(.production) || appAppleID != nil else {
            throw AppStoreConfigurationError("\(bundleID.rawValue) accepts Production and needs its appAppleId")
        }
        guard self.isUnsigned || !roots.isEmpty else {
            throw AppStoreConfigurationError("\(bundleID.rawValue) has no root certificate")
        }
    }

    /// Of Xcode or LocalTesting, whose payloads carry no signature that anybody could check.
    package var isUnsigned: Bool { !self.environments.isDisjoint(with: [.xcode, .localTesting]) }
}
