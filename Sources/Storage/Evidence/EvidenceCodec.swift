package import ByteCoding
package import EventLog

/// Packs signed originals into few bytes and gives them back byte for byte.
///
/// A compact JWS is three base64url segments. The header holds the certificate chain, which is the same in millions of
/// payloads: it leaves the row, which then only counts on it. The payload is decoded to JSON and compressed with a
/// built-in dictionary of Apple's key names; the JWS strings nested in it are taken apart the same way, and all parts
/// of a row share one zstd frame. The signature, which nothing compresses, stands beside the frame as 64 raw bytes.
///
/// Whatever would not come back identical is stored as the text it is, compressed all the same. Only a JWS in canonical
/// base64url is taken apart, of which one decoded text has one spelling; and every row is read back once before it is
/// compressed. May be used from any thread; as many rows as there are processors are packed at a time.
package final class EvidenceCodec: Sendable {
    /// What a row may hold, and what a damaged one may make us allocate: 16 MiB.
    package static let maximumBytes = 1 << 24

    /// The first byte of a row: layout and dictionary. A new dictionary is a new version; the old ones stay readable.
    private static let version: UInt8 = 1

    private let compressors = CompressorPool(dictionary: EvidenceDictionary.version1)
    private let headers = HeaderSegments()

    package init() {}

    /// - Throws: `.full` when the parts are larger than `maximumBytes` together, or more than 64.
    package func encode(_ parts: [EvidencePart]) throws(StoreError) -> EncodedEvidence {
        let size = parts.reduce(0) { $0 + $1.jws.count }
        guard size <= Self.maximumBytes, parts.count <= EvidenceLayout.maximumParts else {
            throw StoreError(.full, "evidence of \(parts.count) parts and \(size) bytes is above the bounds")
        }
        return self.encode(parts.map(EvidencePiece.init))
    }

    /// The same for one original that has been decoded already, of 1 MiB at most.
    package func encode(_ name: EvidencePart.Name, _ jws: DecodedJWS) -> EncodedEvidence {
        self.encode([EvidencePiece(name: name, content: .apart(jws))])
    }

    private func encode(_ pieces: [EvidencePiece]) -> EncodedEvidence {
        let writer = EvidenceLayoutWriter(pieces)
        return self.pack(writer.isRestoring(pieces) ? writer : EvidenceLayoutWriter(pieces.map(\.whole)))
    }

    private func pack(_ writer: EvidenceLayoutWriter) -> EncodedEvidence {
        var body = [Self.version]
        body.appendNumber(writer.signatures.count / 64)
        body += self.compressors.use { $0.compress(writer.layout) }
        body += writer.signatures
        return EncodedEvidence(headers: writer.headers.map(self.headers.shared), body: body)
    }

    /// - Throws: `.corrupt` when the row is not one that `encode` wrote, whatever its bytes are.
    package func decode(_ evidence: EncodedEvidence) throws(StoreError) -> [EvidencePart] {
        var body = ByteReader(evidence.body)
        let version = try body.byte()
        guard version == Self.version else {
            throw StoreError(.corrupt, "evidence of format \(version) cannot be read")
        }
        let signatures = try body.suffix(64 * body.number(upTo: EvidenceLayout.maximumParts))
        let frame = body.rest()
        let layout = try self.compressors.use { zstandard throws(StoreError) in
            try zstandard.decompress(frame, limit: Self.maximumBytes)
        }
        var reader = try EvidenceLayoutReader(layout, headers: evidence.headers, signatures: signatures)
        return try reader.parts()
    }
}
