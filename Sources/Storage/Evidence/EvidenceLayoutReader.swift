import ByteCoding
import EventLog

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
            pieces.append(EvidencePiece(name: name, content: try self.content()))
        }
        guard self.structure.isAtEnd, self.text.isAtEnd, self.signatures.isAtEnd else { throw .damagedEvidence }
        return pieces
    }

    /// A node that is not nested.
    private mutating func content() throws(StoreError) -> EvidencePiece.Content {
        guard let header = try self.header() else { return .asItCame(Array(try self.piece())) }
        let nested = try self.structure.number(upTo: EvidenceLayout.maximumParts)
        var payload: [UInt8] = []
        // What nests is text again, below a header like this one.
        payload.reserveCapacity(min((self.text.count * 4 + 2) / 3 + nested * (header.count + 96), self.allowance))
        for _ in 0..<nested {
            payload += try self.piece()
            try self.appendNested(to: &payload)
        }
        payload += try self.piece()
        let signature = try self.signatures.prefix(64)
        try self.spend(header.count + payload.count)
        return .apart(DecodedJWS(header: header, payload: payload, signature: Array(signature)))
    }

    /// A node in which nothing nests, as the text that it was.
    private mutating func appendNested(to payload: inout [UInt8]) throws(StoreError) {
        guard let header = try self.header() else { return payload += try self.piece() }
        _ = try self.structure.number(upTo: 0)
        let content = try self.piece()
        try self.spend(header.count + content.count)
        DecodedJWS.append(header: header, payload: content, signature: try self.signatures.prefix(64), to: &payload)
    }

    /// nil where text stands as it came.
    private mutating func header() throws(StoreError) -> ArraySlice<UInt8>? {
        let tag = try self.structure.number(upTo: self.headers.count)
        return tag == 0 ? nil : self.headers[tag - 1][...]
    }

    private mutating func piece() throws(StoreError) -> ArraySlice<UInt8> {
        try self.text.prefix(self.structure.number(upTo: EvidenceCodec.maximumBytes))
    }

    private mutating func spend(_ bytes: Int) throws(StoreError) {
        guard bytes <= self.allowance else { throw .damagedEvidence }
        self.allowance -= bytes
    }
}
