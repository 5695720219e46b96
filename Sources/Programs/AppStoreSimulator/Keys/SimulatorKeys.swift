import Crypto
import Foundation

/// The secrets of a simulated store: what signs payloads, and what its API clients sign with. Kept in the keys
/// directory, so that a simulation that goes on has the same root.
package struct SimulatorKeys: Sendable, Codable {
    /// DER of leaf, intermediate and root.
    let chain: [Data]
    let leafKey: Data
    let clientKey: Data
    /// Ten characters, as Apple's.
    package let keyID: String
    package let issuerID: String

    /// Fresh keys. The certificates live longer than Apple's, because a simulated clock may run far ahead.
    static func make() throws -> SimulatorKeys {
        let farAway: Int64 = 253_402_300_799_000  // 9999-12-31, as for certificates without an end (RFC 5280)
        let authority = try CertificateAuthority.make(
            seed: .random(in: .min ... .max),
            root: .root.with { $0.notAfter = farAway },
            intermediate: .intermediate.with { $0.notAfter = farAway },
            leaf: .leaf.with { $0.notAfter = farAway })
        return SimulatorKeys(
            chain: authority.chain.map { Data($0) }, leafKey: authority.leafKey.rawRepresentation,
            clientKey: P256.Signing.PrivateKey().rawRepresentation,
            keyID: String((0..<10).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".randomElement() ?? "A" }),
            issuerID: UUID().uuidString.lowercased())
    }

    /// DER.
    package var rootCertificate: [UInt8] { Array(self.chain.last ?? Data()) }

    /// - Throws: `SimulatorError` when the stored key is none.
    package func signer() throws(SimulatorError) -> PayloadSigner {
        do {
            return PayloadSigner(
                chain: self.chain.map { Array($0) }, key: try P256.Signing.PrivateKey(rawRepresentation: self.leafKey))
        } catch {
            throw SimulatorError(code: .keysUnusable, message: "simulator: the stored signing key is no P-256 key")
        }
    }

    /// What the tokens of API clients are verified with.
    ///
    /// - Throws: `SimulatorError` when the stored key is none.
    func clientPublicKey() throws(SimulatorError) -> P256.Signing.PublicKey {
        do { return try P256.Signing.PrivateKey(rawRepresentation: self.clientKey).publicKey } catch {
            throw SimulatorError(code: .keysUnusable, message: "simulator: the stored client key is no P-256 key")
        }
    }

    /// PKCS#8 in PEM, as Apple hands out a key for its API.
    package func clientKeyPEM() throws -> String {
        try P256.Signing.PrivateKey(rawRepresentation: self.clientKey).pemRepresentation + "\n"
    }
}
