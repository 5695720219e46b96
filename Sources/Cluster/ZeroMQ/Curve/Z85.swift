import CZeroMQ

/// Bytes as text that can be pasted anywhere (ZeroMQ RFC 32): five characters for four bytes.
package enum Z85 {
    /// Characters of a CURVE key.
    package static let keyLength = 40

    /// nil unless the count of bytes can be divided by four.
    package static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count.isMultiple(of: 4) else { return nil }
        var text = [CChar](repeating: 0, count: bytes.count / 4 * 5 + 1)
        guard unsafe zmq_z85_encode(&text, bytes, bytes.count) != nil else { return nil }
        return Self.text(text)
    }

    /// What libzmq has written, up to its last character, a NUL.
    static func text(_ written: [CChar]) -> String {
        String(decoding: written.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// nil for what is no Z85.
    package static func bytes(of text: String) -> [UInt8]? {
        let count = text.utf8.count
        guard count.isMultiple(of: 5), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count / 5 * 4)
        guard unsafe zmq_z85_decode(&bytes, text) != nil else { return nil }
        return bytes
    }
}
