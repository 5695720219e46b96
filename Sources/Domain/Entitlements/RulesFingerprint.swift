package import Subscriptions

/// What a row was computed by, in 32 bits: the settings, and the logic of the binary. A stored row with another
/// fingerprint may answer otherwise than its facts do now, and is computed anew.
package struct RulesFingerprint: Hashable, Sendable {
    /// Raised with every change to what facts are answered with. `StreamState.logicVersion` counts as well.
    package static let logicVersion: Int64 = 2

    package let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The same for the same settings in every process, however they were spelled.
    package init(_ rules: DerivationRules) {
        var hash = StableHash()
        hash.combine(Self.logicVersion)
        hash.combine(Int64(StreamState.logicVersion))
        let known: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]
        let environments = Set(known).union(rules.renewalLeeway.keys)
        for environment in environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            hash.combine(environment.rawValue)
            hash.combine(rules.leeway(in: environment).rawValue)
        }
        hash.combine(Int64(rules.nonRenewingDuration.count))
        for (product, duration) in rules.nonRenewingDuration.sorted(by: { $0.key < $1.key }) {
            hash.combine(product)
            hash.combine(duration.rawValue)
        }
        self.rawValue = hash.folded
    }
}
