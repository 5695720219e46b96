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

/// FNV-1a. Swift's own hashes differ from process to process, and these are stored.
private struct StableHash {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    var folded: UInt32 { UInt32(truncatingIfNeeded: self.value ^ self.value >> 32) }

    mutating func combine(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { for byte in $0 { self.combine(byte) } }
    }

    /// With its length, so that neighbours do not run together.
    mutating func combine(_ text: String) {
        self.combine(Int64(text.utf8.count))
        for byte in text.utf8 { self.combine(byte) }
    }

    private mutating func combine(_ byte: UInt8) {
        self.value = (self.value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
