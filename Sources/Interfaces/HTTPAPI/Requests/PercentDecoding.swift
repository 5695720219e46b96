extension StringProtocol {
    /// Without its `%` escapes; nil when one is not two hexadecimal digits, or when the result is not UTF-8. A plus
    /// stays a plus: dates have one in their offset.
    var percentDecoded: String? {
        guard self.utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = self.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let escaped = [UInt8](hexadecimal: String(decoding: [high, low], as: UTF8.self))
            else { return nil }
            bytes.append(contentsOf: escaped)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
