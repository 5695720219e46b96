/// Makes texts of bytes, and none for those that are the same as last time: the checks of one body mostly name the same
/// entitlement and app.
struct TextMemo {
    private var last = ""

    /// nil for what is not UTF-8.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let isSame = self.last.withUTF8 { last in bytes.withUnsafeBufferPointer { last.elementsEqual($0) } }
        if isSame { return self.last }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.last = text
        return text
    }
}
