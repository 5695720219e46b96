import AppStore
import ByteCoding
import Crypto
import Foundation
import SwiftASN1
import X509

/// What swift-crypto alone takes for one signature: the key and the decoded signature are ready, the bytes are the same.
struct BareVerification: Sendable {
    private let key: P256.Signing.PublicKey
    private let signature: P256.Signing.ECDSASignature
    private let signingInput: ArraySlice<UInt8>

    init(_ jws: [UInt8]) throws {
        struct Header: Decodable { var x5c: [Data] }
        guard let last = jws.lastIndex(of: UInt8(ascii: ".")), let first = jws.firstIndex(of: UInt8(ascii: ".")),
            let header = Base64.url.decode(jws[..<first]), let signature = Base64.url.decode(jws[(last + 1)...])
        else { throw BenchmarkError("the simulator signed something that is no JWS") }
        let leaf = try Certificate(derEncoded: Array(JSONDecoder().decode(Header.self, from: Data(header)).x5c[0]))
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw BenchmarkError("the leaf's key is not on P-256")
        }
        self.key = key
        self.signature = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        self.signingInput = jws[..<last]
    }

    func run() throws {
        guard self.key.isValidSignature(self.signature, for: self.signingInput) else {
            throw BenchmarkError("swift-crypto refused a signature of the simulator")
        }
    }
}
