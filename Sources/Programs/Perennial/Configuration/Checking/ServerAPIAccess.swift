package import AppStore

/// What asking Apple about one app in one environment takes.
package struct ServerAPIAccess: Sendable {
    package var account: ServerAPIAccount
    package var credentials: ServerAPICredentials
    /// An http or https URL without a slash at its end.
    package var baseURL: String
    /// The part of Apple's limits that may be used, 0.01 to 1.
    package var share: Double
}
