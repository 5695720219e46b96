import StrictJSON
import Subscriptions

/// A kind of payload that Apple signs.
protocol SignedPayload: Sendable {
    /// Reads all of it, up to the end of its object. Fails when a value is not what it should be, and when the payload
    /// is of another kind by the fields that tell them apart.
    init(reading reader: inout PayloadReader) throws(PayloadProblem)
}

/// A kind that says which app it is about; a renewal info does not.
protocol IdentifyingPayload: SignedPayload {
    var claimedIdentity: ClaimedIdentity { get }
}

/// A payload after its JSON was read, before anything is known of its signature.
struct DecodedPayload<Content: SignedPayload>: Sendable {
    let bytes: [UInt8]
    let content: Result<Content, PayloadProblem>
    /// The date at which certificates are judged.
    let effectiveDate: Moment
    let contentDigest: PayloadDigest

    /// - Throws: INVALID_JWT_FORMAT when `bytes` are no well-formed JSON object. One with wrong values is well-formed.
    init(_ bytes: [UInt8], allowsFractions: Bool, now: Moment) throws(VerificationFailure) {
        var reader = PayloadReader(bytes, allowsFractions: allowsFractions, now: now)
        do throws(PayloadProblem) {
            let content = try Content(reading: &reader)
            do throws(JSONError) { try reader.json.end() } catch { throw PayloadProblem(error) }
            self.content = .success(content)
        } catch {
            try Self.checkForm(of: bytes)
            self.content = .failure(error)
        }
        self.bytes = bytes
        self.effectiveDate = reader.signedDate
        self.contentDigest = reader.contentDigest
    }

    private static func checkForm(of bytes: [UInt8]) throws(VerificationFailure) {
        do throws(JSONError) {
            try JSONScanner.validate(bytes)
            var json = JSONScanner(bytes)
            try json.beginObject()
        } catch {
            throw VerificationFailure(.invalidJWTFormat, "the payload is no JSON object: \(error)")
        }
    }
}
