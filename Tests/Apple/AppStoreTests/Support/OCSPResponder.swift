import AppStore
import AppStoreSimulator
import Foundation
import Subscriptions
import SwiftASN1
import Synchronization
import X509

/// What an OCSP responder says (RFC 6960), right unless told otherwise.
struct OCSPScript: Sendable {
    enum Status: UInt, Sendable { case good = 0, revoked, unknown }

    var status = Status.good
    var thisUpdate: Moment
    var nextUpdate: Moment?
    /// Signs in place of each certificate's issuer.
    var signer: IssuedCertificate?
    /// What the answer brings along.
    var certificates: [IssuedCertificate] = []
    var answersAboutOthers = false
    var isAltered = false
    /// The BIT STRING of the signature says that its last bit, a zero, is not part of it.
    var declaresUnusedBit = false
    /// The outermost status: 0 successful, 3 try later.
    var responseStatus = 0

    init(now: Moment) {
        self.thisUpdate = now - .hours(1)
        self.nextUpdate = now + .hours(11)
    }
}

/// Answers in the process, and counts.
final class OCSPResponder: OCSPTransport {
    let authority: CertificateAuthority
    let script: Mutex<OCSPScript>
    private let count = Mutex(0)

    init(authority: CertificateAuthority, script: OCSPScript) {
        self.authority = authority
        self.script = Mutex(script)
    }

    var questions: Int { self.count.withLock { $0 } }

    func post(_ request: [UInt8], to url: String) async throws -> [UInt8] {
        self.count.withLock { $0 += 1 }
        return try self.answer(request)
    }

    func answer(_ request: [UInt8]) throws -> [UInt8] {
        let script = self.script.withLock { $0 }
        // OCSPRequest, TBSRequest, list, Request: each a sequence of one.
        let certificateID = try (0..<4).reduce(try DER.parse(request)) { node, _ in
            guard case .constructed(let children) = node.content, let first = Array(children).first else {
                throw ASN1Error.truncatedASN1Field()
            }
            return first
        }
        let isAboutLeaf = certificateID.encodedBytes.suffix(8) == self.authority.leaf.certificate.serialNumber.bytes
        let issuer = isAboutLeaf ? self.authority.intermediate : self.authority.root
        let signer = script.signer ?? issuer
        let data = try Self.responseData(script, certificateID: certificateID.encodedBytes)
        let algorithm: Certificate.SignatureAlgorithm = P256Key.isUsed(by: signer) ? .ecdsaWithSHA256 : .ecdsaWithSHA384
        var signature: [UInt8]
        repeat {
            signature = try signer.privateKey.sign(bytes: data, signatureAlgorithm: algorithm).rawRepresentation
        } while script.declaresUnusedBit && signature[signature.count - 1] & 1 == 1
        if script.isAltered { signature[signature.count - 1] ^= 1 }
        return try Self.response(script, data: data, isP256: P256Key.isUsed(by: signer), signature: signature)
    }

    private static func responseData(_ script: OCSPScript, certificateID: ArraySlice<UInt8>) throws -> [UInt8] {
        var id = Array(certificateID)
        if script.answersAboutOthers { id[id.count - 1] ^= 1 }
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence) { data in
            try data.appendConstructedNode(identifier: .context(2)) { key in
                try key.serialize(ASN1OctetString(contentBytes: [UInt8](repeating: 7, count: 20)[...]))
            }
            try data.serialize(GeneralizedTime(script.thisUpdate))
            try data.appendConstructedNode(identifier: .sequence) { list in
                try list.appendConstructedNode(identifier: .sequence) { single in
                    single.serializeRawBytes(id)
                    if script.status == .revoked {
                        try single.appendConstructedNode(identifier: .context(1)) {
                            try $0.serialize(GeneralizedTime(script.thisUpdate))
                        }
                    } else {
                        single.appendPrimitiveNode(identifier: .context(script.status.rawValue)) { _ in }
                    }
                    try single.serialize(GeneralizedTime(script.thisUpdate))
                    if let nextUpdate = script.nextUpdate {
                        try single.appendConstructedNode(identifier: .context(0)) {
                            try $0.serialize(GeneralizedTime(nextUpdate))
                        }
                    }
                }
            }
        }
        return coder.serializedBytes
    }

    private static func response(
        _ script: OCSPScript, data: [UInt8], isP256: Bool, signature: [UInt8]
    ) throws -> [UInt8] {
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { basic in
            basic.serializeRawBytes(data)
            let algorithm: ASN1ObjectIdentifier = isP256 ? [1, 2, 840, 10045, 4, 3, 2] : [1, 2, 840, 10045, 4, 3, 3]
            try basic.appendConstructedNode(identifier: .sequence) { try $0.serialize(algorithm) }
            try basic.serialize(ASN1BitString(bytes: signature[...], paddingBits: script.declaresUnusedBit ? 1 : 0))
            guard !script.certificates.isEmpty else { return }
            basic.appendConstructedNode(identifier: .context(0)) { tagged in
                tagged.appendConstructedNode(identifier: .sequence) { list in
                    for certificate in script.certificates { list.serializeRawBytes(certificate.der) }
                }
            }
        }
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence) { response in
            response.appendPrimitiveNode(identifier: .enumerated) { $0.append(UInt8(script.responseStatus)) }
            guard script.responseStatus == 0 else { return }
            try response.appendConstructedNode(identifier: .context(0)) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { bytes in
                    try bytes.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                    try bytes.serialize(ASN1OctetString(contentBytes: basic.serializedBytes[...]))
                }
            }
        }
        return coder.serializedBytes
    }
}

private enum P256Key {
    static func isUsed(by signer: IssuedCertificate) -> Bool {
        signer.privateKey.publicKey.subjectPublicKeyInfoBytes.count == 65
    }
}

extension ASN1Identifier {
    fileprivate static func context(_ tag: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)
    }
}

extension GeneralizedTime {
    fileprivate init(_ moment: Moment) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds / 1_000))
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year!, month: parts.month!, day: parts.day!, hours: parts.hour!, minutes: parts.minute!,
            seconds: parts.second!, fractionalSeconds: 0)
    }
}
