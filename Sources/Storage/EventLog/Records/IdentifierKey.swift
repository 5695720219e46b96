import Crypto
package import Subscriptions

/// The key by which a store's identifiers are hashed: 32 bytes, drawn when they are first needed, and kept in the store. Who has
/// it can tell whether a hash is of an id that is guessed, so only nodes and subscribers of the stream have it.
package struct IdentifierKey: Sendable {
    package let bytes: [UInt8]
    /// Under which all streams are found that supersede others: of an id that no customer has, since it has a control character.
    package let superseding: IdentifierHash
    /// HMAC (RFC 2104) hashes the key before all else, so that is done once.
    private let inner: SHA256
    private let outer: SHA256

    /// nil unless there are 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        let (inner, outer) = (Self.begun(bytes, 0x36), Self.begun(bytes, 0x5C))
        self.bytes = bytes
        self.inner = inner
        self.outer = outer
        self.superseding = Self.hash(.customer, "\u{1}superseding", inner, outer)
    }

    /// With a block of the key and zeros, each byte changed by a pad.
    private static func begun(_ key: [UInt8], _ pad: UInt8) -> SHA256 {
        var hasher = SHA256()
        hasher.update(data: (key + [UInt8](repeating: 0, count: SHA256.blockByteCount - key.count)).map { $0 ^ pad })
        return hasher
    }

    /// HMAC-SHA-256 over the byte of the kind and the text's UTF-8, cut to 16 bytes.
    package func hash(_ kind: IdentifierHash.Kind, _ text: String) -> IdentifierHash {
        Self.hash(kind, text, self.inner, self.outer)
    }

    private static func hash(
        _ kind: IdentifierHash.Kind, _ text: String, _ inner: SHA256, _ outer: SHA256
    ) -> IdentifierHash {
        var (text, inner, outer) = (text, inner, outer)
        unsafe withUnsafeBytes(of: kind.rawValue) { unsafe inner.update(bufferPointer: $0) }
        text.withUTF8 { unsafe inner.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return unsafe outer.finalize().withUnsafeBytes { digest in
            unsafe IdentifierHash(
                high: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                low: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
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
