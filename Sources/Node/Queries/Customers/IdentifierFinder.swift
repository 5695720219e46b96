package import EventLog
package import Ownership
package import ServiceContract
import Subscriptions

/// Finds the streams to which an identifier leads, whatever it is: what care has at hand.
package struct IdentifierFinder: Sendable {
    private let store: any EventStore
    private let map: ShardHash
    private let hashing: IdentifierKey

    /// Of streams of one original transaction id, in all apps and environments.
    private static let limit = 100

    package init(store: any EventStore, map: ShardHash, hashing: IdentifierKey) {
        self.store = store
        self.map = map
        self.hashing = hashing
    }

    package func streams(of text: String) async throws -> [Finding.Stream] {
        var found: [[UInt8]: [Finding.Role]] = [:]
        for (role, keys) in try await self.named(text) + self.carrying(text) {
            for key in keys where !(found[key, default: []].contains(role)) { found[key, default: []].append(role) }
        }
        return found.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { bytes in
            guard let key = StreamKey(bytes: bytes), key.kind.givesAccess, let roles = found[bytes] else { return nil }
            return Finding.Stream(key: key, roles: Finding.Role.allCases.filter(roles.contains))
        }
    }

    /// By their own id.
    private func named(_ text: String) async throws -> [(Finding.Role, [[UInt8]])] {
        guard text.isIdentifier else { return [] }
        let shard = self.map.shard(of: text)
        let prefixes = StreamKind.allCases.filter(\.givesAccess).map { kind in
            (shard: shard, prefix: StreamKey.prefix(kind: kind, id: text))
        }
        return try await self.store.streams(withPrefixes: prefixes, limit: Self.limit).map { rows in
            (.originalTransactionID, rows.map(\.key))
        }
    }

    /// By what leads to them.
    private func carrying(_ text: String) async throws -> [(Finding.Role, [[UInt8]])] {
        var sought: [(role: Finding.Role, identifier: SoughtIdentifier)] = []
        if let token = AccountToken(text) { sought.append((.appAccountToken, self.hashing.sought(token))) }
        if text.isIdentifier { sought.append((.appTransactionID, self.hashing.sought(appTransaction: text))) }
        if let customer = CustomerID(text) { sought.append((.customerID, self.hashing.sought(customer))) }
        let keys = try await self.store.streams(for: sought.map(\.identifier))
        return Array(zip(sought.map(\.role), keys))
    }
}
