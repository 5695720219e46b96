import StrictJSON

/// The body of Apple's POST: `{"signedPayload": "…"}`.
package struct NotificationBody: Sendable {
    /// The compact JWS.
    package let signedPayload: [UInt8]

    /// - Throws: INVALID_JWT_FORMAT; for a version 1 body the detail says what to do.
    package init(_ body: [UInt8]) throws(VerificationFailure) {
        var json = JSONScanner(body, emptyTextIsNull: true)
        var signedPayload: ArraySlice<UInt8>?
        var isVersion1 = false
        do throws(JSONError) {
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "signedPayload": signedPayload = try json.textBytes()
                case "notification_type", "unified_receipt", "latest_receipt":
                    isVersion1 = true
                    try json.skip()
                default: try json.skip()
                }
            }
            try json.end()
        } catch {
            throw VerificationFailure(.invalidJWTFormat, "the body holds \(error)")
        }
        guard let signedPayload else {
            throw VerificationFailure(
                .invalidJWTFormat,
                isVersion1
                    ? "this is a version 1 notification: set version 2 in App Store Connect"
                    : "the body has no signedPayload")
        }
        self.signedPayload = Array(signedPayload)
    }
}
