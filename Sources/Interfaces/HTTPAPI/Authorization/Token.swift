import Crypto

/// What a token allows.
package enum Scope: String, Sendable, CaseIterable {
    /// GET, check and metrics.
    case read
    /// Transactions.
    case write
    /// Everything.
    case admin
}

/// A backend's right to call the API. Only the hash is known here; the token itself is 256 random bits, so that a fast
/// hash is enough.
package struct Token: Sendable {
    /// Shown in logs instead of the token.
    package let name: String
    package let scopes: Set<Scope>
    fileprivate let sha256: [UInt8]

    /// - Parameter sha256: 64 hexadecimal digits.
    /// - Throws: `ConfigurationError` with one line that names the token.
    package init(name: String, sha256: String, scopes: Set<Scope>) throws(ConfigurationError) {
        guard !name.isEmpty else { throw ConfigurationError("http.tokens: a token has no name") }
        guard let digest = [UInt8](hexadecimal: sha256), digest.count == SHA256.byteCount else {
            throw ConfigurationError("http.tokens: sha256 of '\(name)' is not 64 hexadecimal digits")
        }
        guard !scopes.isEmpty else { throw ConfigurationError("http.tokens: '\(name)' has no scopes") }
        self.name = name
        self.sha256 = digest
        self.scopes = scopes
    }

    func allows(_ scope: Scope) -> Bool {
        self.scopes.contains(.admin) || self.scopes.contains(scope)
    }
}

extension [Token] {
    /// The token that `presented` is. Takes as long whichever it is, and for none.
    func matching(_ presented: some Sequence<UInt8>) -> Token? {
        let digest = Array<UInt8>(SHA256.hash(data: Array<UInt8>(presented)))
        var match: Token?
        for token in self where token.sha256.isEqualInConstantTime(to: digest) { match = token }
        return match
    }
}

extension [UInt8] {
    fileprivate func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard self.count == other.count else { return false }
        return zip(self, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
