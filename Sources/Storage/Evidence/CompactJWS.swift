import ByteCoding
import EventLog

/// A compact JWS taken apart; only such as `text` gives back exactly as they were.
struct CompactJWS: Equatable {
    /// As it came: still base64url.
    var header: ArraySlice<UInt8>
    /// Decoded.
    var payload: [UInt8]
    /// Decoded: r and s, 32 bytes each.
    var signature: [UInt8]

    init(header: ArraySlice<UInt8>, payload: [UInt8], signature: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// nil unless `text` is three segments, the last two canonical base64url and the last one of 64 bytes.
    init?(_ text: ArraySlice<UInt8>) {
        let dot = UInt8(ascii: ".")
        // From both ends: a dot between these two makes the payload undecodable.
        guard let first = text.firstIndex(of: dot, from: text.startIndex), let last = text.lastIndex(of: dot),
            first < last,
            let signature = Base64.url.decode(text[(last + 1)...]), signature.count == 64,
            let payload = Base64.url.decode(text[(first + 1)..<last])
        else { return nil }
        self.init(header: text[..<first], payload: payload, signature: signature)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.header.isSame(as: right.header) && left.payload[...].isSame(as: right.payload[...])
            && left.signature == right.signature
    }

    var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(self.header.count + self.payload.count * 4 / 3 + 92)
        Self.append(header: self.header, payload: self.payload[...], signature: self.signature[...], to: &text)
        return text
    }

    static func append(
        header: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, signature: ArraySlice<UInt8>, to text: inout [UInt8]
    ) {
        text += header
        text.append(UInt8(ascii: "."))
        Base64.url.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64.url.append(signature, to: &text)
    }
}
