import Webhooks

/// The host and port that a request is sent to, as its `Host` names them (RFC 9110 §7.2).
struct Authority: Hashable, Sendable {
    /// In small letters; an IPv6 address without its brackets.
    let host: String
    let port: UInt16?

    /// nil for what is no host with an optional port (RFC 3986 §3.2.2).
    init?(_ text: String) {
        let bytes = text.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            self.host = String(text[bytes.index(after: bytes.startIndex)..<bracket]).lowercased()
            guard NetworkAddress(self.host)?.bytes.count == 16 else { return nil }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard end > bytes.startIndex, bytes[..<end].allSatisfy(Self.isPartOfName) else { return nil }
            self.host = String(text[..<end]).lowercased()
        }
        guard let colon = bytes[end...].first else {
            self.port = nil
            return
        }
        let digits = bytes[end...].dropFirst()
        guard colon == UInt8(ascii: ":"), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        self.port = UInt16(String(text[digits.startIndex...]))
        guard digits.isEmpty || self.port != nil else { return nil }
    }

    /// Means this machine whatever a resolver says: `localhost`, 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        guard let address = NetworkAddress(self.host) else { return self.host == "localhost" }
        return Self.loopback.contains { $0.contains(address) }
    }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap(Network.init)

    /// A character of a registered name or an IPv4 address.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
