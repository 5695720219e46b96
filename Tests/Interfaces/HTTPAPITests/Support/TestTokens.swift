import Crypto
import HTTPAPI

/// One token for each set of scopes; the text of a token is its name.
enum TestTokens {
    static let all: [Token] = [
        Self.token("read", [.read]), Self.token("write", [.write]), Self.token("admin", [.admin]),
    ]

    private static func token(_ name: String, _ scopes: Set<Scope>) -> Token {
        let digest = SHA256.hash(data: Array(name.utf8)).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }
        do {
            return try Token(name: name, sha256: digest.joined(), scopes: scopes)
        } catch {
            preconditionFailure("a test token is valid: \(error)")
        }
    }
}
