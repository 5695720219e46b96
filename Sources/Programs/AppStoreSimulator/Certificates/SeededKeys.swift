import Crypto
import Foundation

/// Private keys and serial numbers that follow from a seed and a name. For simulated certificates only: whoever knows
/// the seed has the keys.
struct SeededKeys {
    let seed: UInt64
    let name: String

    func p256() throws -> P256.Signing.PrivateKey {
        try self.firstValid { try P256.Signing.PrivateKey(rawRepresentation: self.bytes(32, "p256", attempt: $0)) }
    }

    func p384() throws -> P384.Signing.PrivateKey {
        try self.firstValid { try P384.Signing.PrivateKey(rawRepresentation: self.bytes(48, "p384", attempt: $0)) }
    }

    /// Positive, and in the shortest form of an INTEGER.
    func serialNumber() -> [UInt8] {
        var bytes = self.bytes(8, "serial", attempt: 0)
        bytes[0] = bytes[0] & 0x3F | 0x40
        return bytes
    }

    /// A number beyond the curve's order is no key: about one in 2^32 for P-256.
    private func firstValid<Key>(_ make: (Int) throws -> Key) throws -> Key {
        for attempt in 0..<8 {
            if let key = try? make(attempt) { return key }
        }
        return try make(8)
    }

    private func bytes(_ count: Int, _ purpose: String, attempt: Int) -> [UInt8] {
        let material = withUnsafeBytes(of: self.seed.bigEndian) { SymmetricKey(data: $0) }
        let info = Data("perennial simulator/\(self.name)/\(purpose)/\(attempt)".utf8)
        let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: material, info: info, outputByteCount: count)
        return key.withUnsafeBytes { Array($0) }
    }
}
