import Crypto

/// SHA-256, 32 bytes.
package enum ContentHash {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// What an erased event keeps: the hash of its originals in order, with a line feed between two. For a notification
    /// that is the hash of the signedPayload itself, so that whoever has kept it can show that it is the one.
    package static func sha256(of parts: [EvidencePart]) -> [UInt8] {
        Self.sha256(Array(parts.map(\.jws).joined(separator: [UInt8(ascii: "\n")])))
    }
}
