import AppStore
import ByteCoding
package import Crypto
import Foundation
import StrictJSON

/// Makes compact JWS as the App Store does: ES256 over `header.payload`, raw r‖s, and the chain in the header's `x5c`.
package struct PayloadSigner: Sendable {
    /// The header in base64url and the dot after it: the same for every payload.
    private let prefix: [UInt8]
    /// Of the prefix, which is longer than most payloads: each signature goes on from a copy.
    private let prefixHash: SHA256
    private let key: P256.Signing.PrivateKey

    /// - Parameter chain: DER of leaf, intermediate and root.
    package init(chain: [[UInt8]], key: P256.Signing.PrivateKey) {
        var header = JSONWriter(reservingCapacity: 4_096)
        header.object { header in
            header.member("alg", "ES256")
            header.member("x5c") { header in
                header.array { header in
                    for der in chain { header.value(String(decoding: Base64.standard.encode(der), as: UTF8.self)) }
                }
            }
        }
        self.init(header: header.bytes, key: key)
    }

    /// With a header of the caller's own making, for what has to be refused.
    package init(header: [UInt8], key: P256.Signing.PrivateKey) {
        self.prefix = Base64.url.encode(header) + [UInt8(ascii: ".")]
        var hash = SHA256()
        hash.update(data: self.prefix)
        self.prefixHash = hash
        self.key = key
    }

    /// - Throws: only when the system's randomness fails.
    package func sign(_ payload: [UInt8]) throws -> [UInt8] {
        var signatures = Signatures()
        return try self.sign(payload, &signatures)
    }

    /// - Parameter signatures: of what was signed before, and this one.
    /// - Throws: only when the system's randomness fails.
    func sign(_ payload: [UInt8], _ signatures: inout Signatures) throws -> [UInt8] {
        let text = Base64.url.encode(payload)
        let signature = try signatures.next {
            var hash = self.prefixHash
            hash.update(data: text)
            return try self.key.signature(for: hash.finalize()).rawRepresentation
        }
        var jws: [UInt8] = []
        jws.reserveCapacity(self.prefix.count + text.count + 100)
        jws.append(contentsOf: self.prefix)
        jws.append(contentsOf: text)
        jws.append(.init(ascii: "."))
        jws.append(contentsOf: Base64.url.encode(signature))
        return jws
    }
}
