import ByteCoding
import EventLog

/// Writes pieces as `EvidenceLayout` says, what nests in them taken apart as well.
struct EvidenceLayoutWriter {
    private(set) var headers: [[UInt8]] = []
    private(set) var signatures: [UInt8] = []
    /// What is compressed.
    private(set) var layout: [UInt8] = []
    private var structure: [UInt8] = []
    private var text: [UInt8] = []

    init(_ pieces: [EvidencePiece]) {
        self.structure.appendNumber(pieces.count)
        for piece in pieces { self.append(piece) }
        self.layout.reserveCapacity(8 + self.structure.count + self.text.count)
        self.layout.appendNumber(self.structure.count)
        self.layout += self.structure
        self.layout += self.text
    }

    /// Whether a reader gets exactly these pieces.
    func isRestoring(_ pieces: [EvidencePiece]) -> Bool {
        var reader = try? EvidenceLayoutReader(self.layout, headers: self.headers, signatures: self.signatures[...])
        return (try? reader?.pieces()) == pieces
    }

    private mutating func append(_ piece: EvidencePiece) {
        self.structure.append(piece.name.rawValue)
        switch piece.content {
        case .apart(let jws):
            self.append(jws, nests: true)
        case .asItCame(let text):
            self.structure.appendNumber(0)
            self.structure.appendNumber(text.count)
            self.text += text
        }
    }

    private mutating func append(_ jws: DecodedJWS, nests: Bool) {
        let cuts = nests ? Self.cuts(in: jws.payload) : []
        // What nests is most of a payload, and shrinks.
        if nests { self.text.reserveCapacity(self.text.count + jws.payload.count / 2) }
        self.structure.appendNumber(1 + self.number(of: jws.header))
        self.structure.appendNumber(cuts.count)
        var position = 0
        for cut in cuts {
            self.structure.appendNumber(cut.range.lowerBound - position)
            self.text += jws.payload[position..<cut.range.lowerBound]
            self.append(cut.jws, nests: false)
            position = cut.range.upperBound
        }
        self.structure.appendNumber(jws.payload.count - position)
        self.text += jws.payload[position...]
        self.signatures += jws.signature
    }

    private mutating func number(of header: ArraySlice<UInt8>) -> Int {
        if let known = self.headers.firstIndex(where: { $0[...].isSame(as: header) }) { return known }
        self.headers.append(Array(header))
        return self.headers.count - 1
    }

    private static func cuts(in payload: [UInt8]) -> [(range: Range<Int>, jws: DecodedJWS)] {
        let quote = UInt8(ascii: "\"")
        var cuts: [(range: Range<Int>, jws: DecodedJWS)] = []
        var position = payload.startIndex
        while cuts.count < EvidenceLayout.maximumParts - 1,
            let start = payload[...].firstIndex(of: quote, from: position)
        {
            position = start + 1
            guard let key = EvidenceLayout.nestingKeys.first(where: { payload[start...].starts(with: $0) }) else {
                continue
            }
            let value = start + key.count
            guard let end = payload[...].firstIndex(of: quote, from: value) else { break }
            if let jws = DecodedJWS(payload[value..<end]) { cuts.append((value..<end, jws)) }
            position = end
        }
        return cuts
    }
}
