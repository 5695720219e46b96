import ByteCoding

/// What every token begins and ends with: a format byte, the store it speaks of, and a checksum against mangled text.
/// Numbers are varints (LEB128), so that a vector of positions stays short.
struct TokenWriter {
    private var bytes: [UInt8]

    init(format: TokenFormat, store: StoreStamp) {
        self.bytes = [format.rawValue]
        withUnsafeBytes(of: store.storeID.bigEndian) { self.bytes.append(contentsOf: $0) }
        self.append(UInt64(bitPattern: store.restoreGeneration))
    }

    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    mutating func append(_ blob: [UInt8]) {
        self.append(UInt64(blob.count))
        self.bytes.append(contentsOf: blob)
    }

    consuming func text() -> String {
        let sum = TokenFormat.checksum(self.bytes[...])
        return String(decoding: Base64.url.encode(self.bytes + sum), as: UTF8.self)
    }
}
