import Crypto
import Foundation
import SwiftASN1
import X509

/// CertID of RFC 6960 §4.1.1, with SHA-1 hashes, which every responder understands.
struct OCSPCertificateID: Hashable, DERImplicitlyTaggable {
    static let defaultIdentifier = ASN1Identifier.sequence
    private static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]

    private let algorithm: ASN1ObjectIdentifier
    private let issuerNameHash: ArraySlice<UInt8>
    private let issuerKeyHash: ArraySlice<UInt8>
    private let serialNumber: ArraySlice<UInt8>

    init(_ certificate: Certificate, issuer: Certificate) throws {
        var name = DER.Serializer()
        try name.serialize(issuer.subject)
        self.algorithm = Self.sha1
        self.issuerNameHash = Array(Insecure.SHA1.hash(data: name.serializedBytes))[...]
        self.issuerKeyHash = Array(Insecure.SHA1.hash(data: issuer.publicKey.subjectPublicKeyInfoBytes))[...]
        self.serialNumber = certificate.serialNumber.bytes
    }

    init(derEncoded node: ASN1Node, withIdentifier identifier: ASN1Identifier) throws {
        self = try DER.sequence(node, identifier: identifier) { fields in
            Self(
                algorithm: try ASN1ObjectIdentifier(ofAlgorithm: &fields),
                issuerNameHash: try ASN1OctetString(derEncoded: &fields).bytes,
                issuerKeyHash: try ASN1OctetString(derEncoded: &fields).bytes,
                serialNumber: try ArraySlice<UInt8>(derEncoded: &fields))
        }
    }

    private init(
        algorithm: ASN1ObjectIdentifier, issuerNameHash: ArraySlice<UInt8>, issuerKeyHash: ArraySlice<UInt8>,
        serialNumber: ArraySlice<UInt8>
    ) {
        self.algorithm = algorithm
        self.issuerNameHash = issuerNameHash
        self.issuerKeyHash = issuerKeyHash
        self.serialNumber = serialNumber
    }

    func serialize(into coder: inout DER.Serializer, withIdentifier identifier: ASN1Identifier) throws {
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(self.algorithm)
                try coder.serialize(ASN1Null())
            }
            try coder.serialize(ASN1OctetString(contentBytes: self.issuerNameHash))
            try coder.serialize(ASN1OctetString(contentBytes: self.issuerKeyHash))
            try coder.serialize(self.serialNumber)
        }
    }

    /// DER of an OCSPRequest about this one certificate, without a nonce: Apple's answers are made in advance (RFC
    /// 5019).
    func request() throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence) { request in
            try request.appendConstructedNode(identifier: .sequence) { toBeSigned in
                try toBeSigned.appendConstructedNode(identifier: .sequence) { list in
                    try list.appendConstructedNode(identifier: .sequence) { try $0.serialize(self) }
                }
            }
        }
        return coder.serializedBytes
    }
}

extension ASN1ObjectIdentifier {
    /// The algorithm of an AlgorithmIdentifier, whatever its parameters.
    init(ofAlgorithm fields: inout ASN1NodeCollection.Iterator) throws {
        guard let node = fields.next() else { throw ASN1Error.truncatedASN1Field() }
        self = try DER.sequence(node, identifier: .sequence) { fields in
            let algorithm = try ASN1ObjectIdentifier(derEncoded: &fields)
            _ = fields.next()
            return algorithm
        }
    }
}
