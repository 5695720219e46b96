import Crypto
import Foundation
import StrictJSON
import Subscriptions

/// Reads one payload once (an empty text in it says nothing, as null does), and keeps what all kinds need: when it was signed, and what its content is apart from that.
struct PayloadReader {
    /// Longer texts are not Apple's, and would break the bound on the size of a state.
    static let maximumTextBytes = 256

    var json: JSONScanner
    /// Xcode writes dates with fractions.
    let allowsFractions: Bool
    /// The payload's own date, or the moment of reading for one that has none.
    private(set) var signedDate: Moment
    private(set) var hasSignedDate = false
    /// What does not belong to the content, in order.
    private var cuts: [Range<Int>] = []

    init(_ payload: [UInt8], allowsFractions: Bool, now: Moment) {
        self.json = JSONScanner(payload, emptyTextIsNull: true)
        self.allowsFractions = allowsFractions
        self.signedDate = now
    }

    mutating func readSignedDate() throws(JSONError) {
        let start = self.json.offset
        self.signedDate = try self.moment()
        self.hasSignedDate = true
        self.cuts.append(start..<self.json.offset)
    }

    /// A nested JWS: it has a content of its own, and a new signature each time it is signed.
    mutating func jws() throws(JSONError) -> ArraySlice<UInt8> {
        let start = self.json.offset
        let jws = try self.json.textBytes()
        self.cuts.append(start..<self.json.offset)
        return jws
    }

    mutating func text() throws(JSONError) -> String { try self.json.text(maximumBytes: Self.maximumTextBytes) }

    mutating func texts() throws(JSONError) -> [String] {
        try self.json.texts(maximumBytes: Self.maximumTextBytes).filter { !$0.isEmpty }
    }

    mutating func moment() throws(JSONError) -> Moment {
        Moment(milliseconds: try self.json.milliseconds(allowingFraction: self.allowsFractions))
    }

    mutating func environment() throws(JSONError) -> AppStoreEnvironment {
        AppStoreEnvironment(rawValue: try self.text())
    }

    mutating func bundleID() throws(JSONError) -> BundleID { BundleID(rawValue: try self.json.identifier()) }

    /// SHA-256 of the payload as signed.
    var digest: PayloadDigest { PayloadDigest(sha256: SHA256.hash(data: self.json.bytes)) }

    /// SHA-256 of the payload without its signedDate and nested JWS: equal for one fact however often it is signed.
    var contentDigest: PayloadDigest {
        var hash = SHA256()
        var start = 0
        for cut in self.cuts {
            hash.update(data: self.json.bytes[start..<cut.lowerBound])
            start = cut.upperBound
        }
        hash.update(data: self.json.bytes[start...])
        return PayloadDigest(sha256: hash.finalize())
    }
}
