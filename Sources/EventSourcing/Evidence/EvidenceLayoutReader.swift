/// Puts the parts of a row together again. What it reads may be damaged: it throws `.corrupt`, within bounds.
struct EvidenceLayoutReader {
    private var structure: ByteReader
    private var text: ByteReader
    private var signatures: ByteReader
    private let headers: [[UInt8]]
    /// What may still come out: a few damaged bytes must not repeat a header a million times.
    private var allowance = EvidenceCodec.maximumBytes

    init(_ layout: [UInt8], headers: [[UInt8]], signatures: ArraySlice<UInt8>) throws(StoreError) {
        var reader = ByteReader(layout)
        self.structure = ByteReader(try reader.prefix(reader.number(upTo: layout.count)))
        self.text = ByteReader(reader.rest())
        self.signatures = ByteReader(signatures)
        self.headers = headers
    }

    mutating func parts() throws(StoreError) -> [EvidencePart] {
        try self.pieces().map { EvidencePart(name: $0.name, jws: $0.content.text) }
    }

    mutating func pieces() throws(StoreError) -> [EvidencePiece] {
        var pieces: [EvidencePiece] = []
        for _ in 0..<(try self.structure.number(upTo: EvidenceLayout.maximumParts)) {
            guard let name = EvidencePart.Name(rawValue: try self.structure.byte()) else { throw .damagedEvidence }
            pieces.append(EvidencePiece(name: name, content: try self.node(nests: true)))
        }
        guard self.structure.isAtEnd, self.text.isAtEnd, self.signatures.isAtEnd else { throw .damagedEvidence }
        return pieces
    }

    private mutating func node(nests: Bool) throws(StoreError) -> EvidencePiece.Content {
        let tag = try self.structure.number(upTo: self.headers.count)
        if tag == 0 { return .asItCame(Array(try self.piece())) }

        var payload: [UInt8] = []
        for _ in 0..<(try self.structure.number(upTo: nests ? EvidenceLayout.maximumParts : 0)) {
            payload += try self.piece()
            payload += try self.node(nests: false).text
        }
        payload += try self.piece()
        let header = self.headers[tag - 1]
        let signature = try self.signatures.prefix(64)
        try self.spend(header.count + payload.count)
        return .apart(CompactJWS(header: header[...], payload: payload, signature: Array(signature)))
    }

    private mutating func piece() throws(StoreError) -> ArraySlice<UInt8> {
        try self.text.prefix(self.structure.number(upTo: EvidenceCodec.maximumBytes))
    }

    private mutating func spend(_ bytes: Int) throws(StoreError) {
        guard bytes <= self.allowance else { throw .damagedEvidence }
        self.allowance -= bytes
    }
}
