/// A compact JWS taken apart and decoded; only such as `text` gives back exactly as they were, because one sequence of bytes has
/// one spelling in base64url.
package struct DecodedJWS: Equatable, Sendable {
    /// As it came: still base64url.
    package let header: ArraySlice<UInt8>
    package let payload: [UInt8]
    /// r and s (RFC 7518 §3.4), 64 bytes together.
    package let signature: [UInt8]

    package init(header: ArraySlice<UInt8>, payload: [UInt8], signature: [UInt8]) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// - Parameter payload: of `jws`, decoded.
    /// - Returns: nil unless the signature is canonical base64url of 64 bytes.
    package init?(_ jws: CompactJWS, payload: [UInt8]) {
        guard let signature = Base64.url.decode(jws.signature), signature.count == 64 else { return nil }
        self.init(header: jws.header, payload: payload, signature: signature)
    }

    /// nil unless `text` is three segments, the last two canonical base64url and the last one of 64 bytes.
    package init?(_ text: ArraySlice<UInt8>) {
        guard let jws = CompactJWS(text), let payload = Base64.url.decode(jws.payload) else { return nil }
        self.init(jws, payload: payload)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.header.isSame(as: right.header) && left.payload[...].isSame(as: right.payload[...])
            && left.signature == right.signature
    }

    package var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(self.header.count + self.payload.count * 4 / 3 + 92)
        Self.append(header: self.header, payload: self.payload[...], signature: self.signature[...], to: &text)
        return text
    }

    package static func append(
        header: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, signature: ArraySlice<UInt8>, to text: inout [UInt8]
    ) {
        text += header
        text.append(UInt8(ascii: "."))
        Base64.url.append(payload, to: &text)
        text.append(UInt8(ascii: "."))
        Base64.url.append(signature, to: &text)
    }
}
