package import AppStore
package import EntitlementStream
package import Entitlements
package import HTTPAPI
package import Logging
package import Shards
package import Webhooks

/// A configuration that a node can run with: every value is in range, every file was read.
package struct CheckedConfiguration: Sendable {
    package var http: HTTPAPI.Configuration
    package var runtime: RuntimeConfiguration
    /// nil where nothing is published.
    package var stream: StreamConfiguration?
    /// nil on a node that keeps no mirror.
    package var mirror: MirrorConfiguration?
    package var outbound: OutboundGuard
    package var store: StoreLocation
    package var shardCount: Int
    package var apps: [AppIdentity]
    /// Whom to ask about the apps that have a `serverAPI`: one for each of their environments.
    package var serverAPI: [ServerAPIAccess]
    package var catalog: Catalog
    package var ocsp: Bool
    package var logLevel: Logger.Level
}

/// What a configuration is wanted for.
package enum ConfigurationPurpose: Sendable {
    case serve
    /// The demo brings an app of its own, and may take what Xcode signs.
    case demo
}
