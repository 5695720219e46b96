import ByteCoding
import Crypto
import Foundation

/// A JWS in compact form (RFC 7515 §7.1), split but not decoded.
struct CompactJWS {
    static let maximumBytes = 1 << 20

    let header: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    /// A fourth segment would leave a dot in `payload`, where it fails to decode.
    /// - Throws: INVALID_JWT_FORMAT.
    init(_ text: ArraySlice<UInt8>) throws(VerificationFailure) {
        guard text.count <= Self.maximumBytes else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS is larger than 1 MiB")
        }
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(quickly: dot), let last = text.lastIndex(of: dot), first < last else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS does not have three segments")
        }
        self.header = text[..<first]
        self.payload = text[first..<last].dropFirst()
        self.signature = text[last...].dropFirst()
        guard !self.header.isEmpty, !self.payload.isEmpty, !self.signature.isEmpty else {
            throw VerificationFailure(.invalidJWTFormat, "the JWS has an empty segment")
        }
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

extension ArraySlice<UInt8> {
    /// The header of a JWS is thousands of bytes long, and is searched for each one.
    fileprivate func firstIndex(quickly byte: UInt8) -> Int? {
        self.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return self.startIndex + (UnsafeRawPointer(found) - start)
        }
    }
}
