/// A JWS in compact form (RFC 7515 §7.1), split at its dots and not decoded.
package struct CompactJWS: Sendable {
    package let header: ArraySlice<UInt8>
    package let payload: ArraySlice<UInt8>
    package let signature: ArraySlice<UInt8>

    /// nil without two dots. It splits at the first and the last one: a dot between them leaves a payload that does not decode.
    package init?(_ text: ArraySlice<UInt8>) {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot, from: text.startIndex), let last = text.lastIndex(of: dot),
            first < last
        else { return nil }
        self.header = text[..<first]
        self.payload = text[first..<last].dropFirst()
        self.signature = text[last...].dropFirst()
    }
}
