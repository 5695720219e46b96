/// A range of addresses in CIDR notation (RFC 4632), of IPv4 or IPv6.
package struct Network: Hashable, Sendable {
    private let bytes: [UInt8]
    private let length: Int

    /// nil for text that is none, such as a prefix that is longer than the address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ NetworkAddress(String($0)) }), parts.count <= 2 else { return nil }
        let bits = address.bytes.count * 8
        guard let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length) else { return nil }
        self.bytes = address.bytes
        self.length = length
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == self.bytes.count else { return false }
        let whole = self.length / 8
        guard address.bytes[..<whole].elementsEqual(self.bytes[..<whole]) else { return false }
        let rest = self.length % 8
        return rest == 0 || (address.bytes[whole] ^ self.bytes[whole]) >> (8 - rest) == 0
    }
}

/// An IP address: four bytes or sixteen.
package struct NetworkAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}
