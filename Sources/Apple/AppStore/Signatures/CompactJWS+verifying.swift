import ByteCoding
import Crypto

extension CompactJWS {
    static let maximumBytes = 1 << 20

    /// - Throws: INVALID_JWT_FORMAT unless there are three segments with something in them, of 1 MiB at most together.
    init(verifying text: ArraySlice<UInt8>) throws(VerificationFailure) {
        guard text.count <= Self.maximumBytes else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS is larger than 1 MiB")
        }
        guard let jws = CompactJWS(text) else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS does not have three segments")
        }
        guard !jws.header.isEmpty, !jws.payload.isEmpty, !jws.signature.isEmpty else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS has an empty segment")
        }
        self = jws
    }

    /// SHA-256 of what the signature covers (header, dot, payload) up to the payload.
    static func hash(ofHeader header: ArraySlice<UInt8>) -> SHA256 {
        var hash = SHA256()
        header.withUnsafeBytes { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: UInt8(ascii: ".")) { hash.update(bufferPointer: $0) }
        return hash
    }

    func decodedPayload() throws(VerificationFailure) -> [UInt8] {
        guard let bytes = Base64.url.decode(self.payload) else {
            throw VerificationFailure(.invalidJWTFormat, "the payload is not base64url")
        }
        return bytes
    }
}
