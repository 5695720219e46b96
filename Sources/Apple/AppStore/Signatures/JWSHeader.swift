import ByteCoding
import StrictJSON

/// The header of a JWS that the App Store signed: `alg` and `x5c`. `jku`, `jwk` and `x5u` are passed over like
/// anything else unknown; nothing is ever fetched.
struct JWSHeader {
    var algorithm: String?
    /// Base64 text, at most one entry more than a chain has.
    var x5c: [ArraySlice<UInt8>] = []

    /// - Throws: INVALID_JWT_FORMAT when it is no base64url of a JSON object, or has critical parameters: nobody here
    ///   understands any, so RFC 7515 §4.1.11 has them refused.
    init(_ segment: ArraySlice<UInt8>) throws(VerificationFailure) {
        guard let bytes = Base64.url.decode(segment) else {
            throw VerificationFailure(.invalidJWTFormat, "the header is not base64url")
        }
        var json = JSONScanner(bytes)
        var isCritical = false
        do throws(JSONError) {
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "alg": self.algorithm = try json.text()
                case "x5c": try self.readChain(from: &json)
                case "crit":
                    isCritical = true
                    try json.skip()
                default: try json.skip()
                }
            }
            try json.end()
        } catch {
            throw VerificationFailure(.invalidJWTFormat, "the header holds \(error)")
        }
        guard !isCritical else { throw VerificationFailure(.invalidJWTFormat, "the header has critical parameters") }
    }

    private mutating func readChain(from json: inout JSONScanner) throws(JSONError) {
        try json.beginArray()
        while try json.nextElement() {
            let entry = try json.textBytes()
            if self.x5c.count <= CertificateChain.length { self.x5c.append(entry) }
        }
    }
}
