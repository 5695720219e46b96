/// Makes texts of bytes, and none for those that are the same as last time: the checks of one body mostly name the same
/// entitlement and app.
struct StringCache {
    private var last = ""

    /// nil for what is not UTF-8.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> String? {
        if self.last.isUTF8(bytes) { return self.last }
        // Decoding puts other bytes for those that are not UTF-8, and is several times faster than a text that validates.
        var text = String(decoding: bytes, as: UTF8.self)
        guard text.isUTF8(bytes) else { return nil }
        self.last = text
        return text
    }
}

extension String {
    fileprivate mutating func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        self.withUTF8 { text in bytes.withUnsafeBufferPointer { text.elementsEqual($0) } }
    }
}
