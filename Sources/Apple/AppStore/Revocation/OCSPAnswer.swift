import Foundation
import Subscriptions
import SwiftASN1
import X509

/// A successful OCSPResponse with its BasicOCSPResponse (RFC 6960 §4.2.1).
struct OCSPAnswer: DERParseable {
    struct Status {
        let certificate: OCSPCertificateID
        let isGood: Bool
        let thisUpdate: Moment
        let nextUpdate: Moment?
    }

    private static let basic: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]

    let statuses: [Status]
    private let signedBytes: ArraySlice<UInt8>
    private let algorithm: ASN1ObjectIdentifier
    private let signature: ArraySlice<UInt8>
    private let certificates: [Certificate]

    /// - Throws: also when the responder says that it cannot answer.
    init(derEncoded node: ASN1Node) throws {
        let response = try DER.sequence(node, identifier: .sequence) { fields in
            guard try Int(derEncoded: &fields, withIdentifier: .enumerated) == 0 else {
                throw ASN1Error.invalidASN1Object(reason: "the responder could not answer")
            }
            return try DER.explicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { fields in
                    guard try ASN1ObjectIdentifier(derEncoded: &fields) == Self.basic else {
                        throw ASN1Error.invalidASN1Object(reason: "not a basic response")
                    }
                    return try ASN1OctetString(derEncoded: &fields).bytes
                }
            }
        }
        try self.init(basicResponse: try DER.parse(response))
    }

    /// Whether the issuer has signed this, or somebody whom the issuer has made its OCSP responder.
    func isSigned(by issuer: Certificate, now: Moment) -> Bool {
        guard let algorithm = Certificate.SignatureAlgorithm(ofOCSP: self.algorithm) else { return false }
        let delegates = self.certificates.filter { $0.isOCSPDelegate(of: issuer, now: now) }
        return ([issuer] + delegates).contains { signer in
            signer.publicKey.isValidSignature(self.signature, for: self.signedBytes, signatureAlgorithm: algorithm)
        }
    }

    private init(basicResponse node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            guard let data = fields.next() else { throw ASN1Error.truncatedASN1Field() }
            return Self(
                statuses: try Self.statuses(in: data), signedBytes: data.encodedBytes,
                algorithm: try ASN1ObjectIdentifier(ofAlgorithm: &fields),
                signature: try Self.wholeBytes(of: ASN1BitString(derEncoded: &fields)),
                certificates: try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                    node in
                    try DER.sequence(of: Certificate.self, identifier: .sequence, rootNode: node)
                } ?? [])
        }
    }

    private init(
        statuses: [Status], signedBytes: ArraySlice<UInt8>, algorithm: ASN1ObjectIdentifier,
        signature: ArraySlice<UInt8>, certificates: [Certificate]
    ) {
        self.statuses = statuses
        self.signedBytes = signedBytes
        self.algorithm = algorithm
        self.signature = signature
        self.certificates = certificates
    }

    /// The decoder also takes a signature that declares zero bits at its end unused: the same one in other bytes.
    private static func wholeBytes(of signature: ASN1BitString) throws -> ArraySlice<UInt8> {
        guard signature.paddingBits == 0 else {
            throw ASN1Error.invalidASN1Object(reason: "a signature has whole bytes")
        }
        return signature.bytes
    }

    private static func statuses(in data: ASN1Node) throws -> [Status] {
        try DER.sequence(data, identifier: .sequence) { fields in
            _ = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { _ in }
            _ = fields.next()  // responderID: who signed is found out by the signature
            _ = try GeneralizedTime(derEncoded: &fields)
            let statuses = try DER.sequence(of: Status.self, identifier: .sequence, nodes: &fields)
            _ = fields.next()
            return statuses
        }
    }
}

extension OCSPAnswer.Status: DERParseable {
    init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { fields in
            let certificate = try OCSPCertificateID(derEncoded: &fields)
            guard let status = fields.next() else { throw ASN1Error.truncatedASN1Field() }
            let thisUpdate = try GeneralizedTime(derEncoded: &fields)
            let nextUpdate = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                node in
                try GeneralizedTime(derEncoded: node)
            }
            _ = fields.next()
            return Self(
                certificate: certificate,
                isGood: status.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific),
                thisUpdate: try Moment(thisUpdate), nextUpdate: try nextUpdate.map { try Moment($0) })
        }
    }
}

extension Moment {
    init(_ time: GeneralizedTime) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(
            year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
            second: time.seconds)
        guard let date = calendar.date(from: components) else {
            throw ASN1Error.invalidASN1Object(reason: "no such date")
        }
        self.init(seconds: date)
    }
}

extension Certificate {
    fileprivate func isOCSPDelegate(of issuer: Certificate, now: Moment) -> Bool {
        guard self.issuer == issuer.subject, let usage = try? self.extensions.extendedKeyUsage,
            usage.contains(.ocspSigning), Moment(seconds: self.notValidBefore) <= now,
            now <= Moment(seconds: self.notValidAfter)
        else { return false }
        return issuer.publicKey.isValidSignature(self.signature, for: self)
    }
}

extension Certificate.SignatureAlgorithm {
    /// Those in use for OCSP today; SHA-1 is not among them.
    fileprivate init?(ofOCSP identifier: ASN1ObjectIdentifier) {
        switch identifier {
        case [1, 2, 840, 10045, 4, 3, 2]: self = .ecdsaWithSHA256
        case [1, 2, 840, 10045, 4, 3, 3]: self = .ecdsaWithSHA384
        case [1, 2, 840, 10045, 4, 3, 4]: self = .ecdsaWithSHA512
        case [1, 2, 840, 113_549, 1, 1, 11]: self = .sha256WithRSAEncryption
        case [1, 2, 840, 113_549, 1, 1, 12]: self = .sha384WithRSAEncryption
        case [1, 2, 840, 113_549, 1, 1, 13]: self = .sha512WithRSAEncryption
        default: return nil
        }
    }
}
