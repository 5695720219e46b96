package import EventLog
package import Subscriptions

extension IdentifierKey {
    /// Of no store.
    package static let sample = IdentifierKey((0..<32).map { UInt8($0) })!
}

extension Lookup {
    /// By the sample key.
    package init(kind: IdentifierHash.Kind, value: String, key: [UInt8]) {
        self.init(kind: kind, hash: IdentifierKey.sample.hash(kind, value), key: key)
    }
}

extension EventStore {
    /// What one identifier leads to, hashed by the sample key or in clear text.
    package func streams(for kind: IdentifierHash.Kind, value: String) async throws(StoreError) -> [[UInt8]] {
        let sought = SoughtIdentifier(kind: kind, hash: IdentifierKey.sample.hash(kind, value), spellings: [value])
        return try await self.streams(for: [sought])[0]
    }
}
