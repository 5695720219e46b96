/// ASCII in which a string of JSON needs no look: no quote, no backslash, no control character.
enum PlainText {
    /// Where the first other byte stands, from `start` on; the end where there is none. Eight bytes at a time.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset + 8 <= bytes.count {
            let plain = Self.plainBytes(at: offset, in: bytes)
            guard plain == 8 else { return offset + plain }
            offset += 8
        }
        while offset < bytes.count, Self.isPlain(bytes[offset]) { offset += 1 }
        return offset
    }

    /// How many of the eight bytes at `offset` come before the first special one.
    @inline(__always)
    private static func plainBytes(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let special = (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word
        // Only a special byte borrows from the next one, so what is found first is special.
        return (special & (ones &* 0x80)).trailingZeroBitCount / 8
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != .init(ascii: "\"") && byte != .init(ascii: "\\")
    }
}
