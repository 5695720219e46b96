import Crypto
package import Subscriptions

/// The key by which a store's identifiers are hashed: 32 bytes, drawn when they are first needed, and kept in the store. Who has
/// it can tell whether a hash is of an id that is guessed, so only nodes and subscribers of the stream have it.
package struct IdentifierKey: Sendable {
    package let bytes: [UInt8]
    /// Under which all streams are found that supersede others: of an id that no customer has, since it has a control character.
    package let superseding: IdentifierHash
    private let key: SymmetricKey

    /// nil unless there are 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        let key = SymmetricKey(data: bytes)
        self.bytes = bytes
        self.key = key
        self.superseding = Self.hash(.customer, "\u{1}superseding", by: key)
    }

    /// HMAC-SHA-256 over the byte of the kind and the text's UTF-8, cut to 16 bytes.
    package func hash(_ kind: IdentifierHash.Kind, _ text: String) -> IdentifierHash {
        Self.hash(kind, text, by: self.key)
    }

    private static func hash(_ kind: IdentifierHash.Kind, _ text: String, by key: SymmetricKey) -> IdentifierHash {
        var code = HMAC<SHA256>(key: key)
        code.update(data: [kind.rawValue])
        code.update(data: Array(text.utf8))
        let bytes = Array(code.finalize())
        return IdentifierHash(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) })
    }

    package func hash(_ identifier: RegistrableIdentifier) -> IdentifierHash {
        self.hash(identifier.kind, identifier.text)
    }

    package func sought(_ identifier: RegistrableIdentifier) -> SoughtIdentifier {
        switch identifier {
        case .token(let token): self.sought(token)
        case .account(let id): self.sought(appTransaction: id)
        }
    }

    package func sought(_ customer: CustomerID) -> SoughtIdentifier {
        SoughtIdentifier(
            kind: .customer, hash: self.hash(.customer, customer.rawValue),
            spellings: Self.cases(of: customer.rawValue, isUUID: AccountToken(customer.rawValue) != nil))
    }

    package func sought(_ erased: ErasedIdentifiers) -> [SoughtIdentifier] {
        erased.customers.map(self.sought) + erased.identifiers.map(self.sought)
    }

    /// Under which the streams are found that supersede this one.
    package func superseding(_ key: StreamKey) -> IdentifierHash {
        let parts = [
            "\u{1}superseding", "\(key.kind.rawValue)", key.id, key.environment.rawValue, key.bundleID.rawValue,
        ]
        return self.hash(.customer, parts.joined(separator: "\u{1}"))
    }

    package func sought(_ token: AccountToken) -> SoughtIdentifier {
        SoughtIdentifier(
            kind: .appAccountToken, hash: self.hash(.appAccountToken, token.rawValue),
            spellings: Self.cases(of: token.rawValue, isUUID: true))
    }

    package func sought(appTransaction id: String) -> SoughtIdentifier {
        SoughtIdentifier(kind: .appTransaction, hash: self.hash(.appTransaction, id), spellings: [id])
    }

    /// In clear text a UUID was stored as it was written: in one case or the other.
    private static func cases(of text: String, isUUID: Bool) -> [String] {
        isUUID ? [text, text.uppercased()] : [text]
    }
}
