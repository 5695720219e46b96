import ByteCoding
import Crypto
import Foundation
import StrictJSON
import Subscriptions

/// Checks the tokens that clients of the API sign with the key of the keys directory. They live in real time.
struct ClientTokens: Sendable {
    private let key: P256.Signing.PublicKey
    private let keyID: String
    private let issuerID: String
    private let bundleID: String

    private static let audience = "appstoreconnect-v1"
    /// Apple refuses tokens that live longer.
    private static let longestLife: Int64 = 60 * 60
    /// Clocks differ.
    private static let leeway: Int64 = 60

    /// - Throws: `SimulatorError` when the stored key is none.
    init(keys: SimulatorKeys, bundleID: String) throws(SimulatorError) {
        self.key = try keys.clientPublicKey()
        self.keyID = keys.keyID
        self.issuerID = keys.issuerID
        self.bundleID = bundleID
    }

    /// - Parameter field: of the request's `Authorization`.
    func accepts(authorization field: String?, at now: Moment) -> Bool {
        guard let field, field.hasPrefix("Bearer ") else { return false }
        let token = Array(field.utf8.dropFirst("Bearer ".utf8.count))
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decode(parts[0]), let claims = Self.decode(parts[1]),
            let signature = Base64.url.decode(parts[2])
        else { return false }
        return self.isHeaderRight(header) && self.areRight(claims, at: now)
            && self.isSigned(parts[0], parts[1], by: signature)
    }

    private func isHeaderRight(_ header: RequestBody) -> Bool {
        header.text("alg") == "ES256" && header.text("kid") == self.keyID && header.text("typ") ?? "JWT" == "JWT"
    }

    private func areRight(_ claims: RequestBody, at now: Moment) -> Bool {
        guard claims.text("iss") == self.issuerID, claims.text("aud") == Self.audience,
            claims.text("bid") == self.bundleID, let end = claims.integer("exp")
        else { return false }
        let seconds = now.milliseconds / 1_000
        // Not every client of Apple's says when.
        let issued = claims.has("iat") ? claims.integer("iat") ?? .max : seconds
        return issued <= seconds + Self.leeway && end > seconds && end > issued && end - issued <= Self.longestLife
    }

    private func isSigned(_ header: ArraySlice<UInt8>, _ claims: ArraySlice<UInt8>, by signature: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return self.key.isValidSignature(signature, for: header + [UInt8(ascii: ".")] + claims)
    }

    private static func decode(_ part: ArraySlice<UInt8>) -> RequestBody? {
        Base64.url.decode(part).flatMap { try? RequestBody($0) }
    }
}
