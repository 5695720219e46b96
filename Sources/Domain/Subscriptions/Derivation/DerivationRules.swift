/// The settings that the derivation of a state depends on.
package struct DerivationRules: Hashable, Sendable {
    /// `entitlements.renewalLeeway`: how long after the end of a period that may renew access goes on, because Apple's
    /// notification may be late. 2 h in Production (Apple's first redelivery comes after one hour), 5 min elsewhere.
    package var renewalLeeway: [AppStoreEnvironment: Milliseconds]
    /// `entitlements.nonRenewing`: how long a non-renewing subscription lasts, by product; no entry, no end.
    package var nonRenewingDuration: [String: Milliseconds]

    package init(
        renewalLeeway: [AppStoreEnvironment: Milliseconds] = [:], nonRenewingDuration: [String: Milliseconds] = [:]
    ) {
        self.renewalLeeway = renewalLeeway
        self.nonRenewingDuration = nonRenewingDuration
    }

    package func leeway(in environment: AppStoreEnvironment) -> Milliseconds {
        self.renewalLeeway[environment] ?? (environment == .production ? .hours(2) : .minutes(5))
    }
}
