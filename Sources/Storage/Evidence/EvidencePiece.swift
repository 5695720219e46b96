import EventLog

/// A part as the layout holds it.
struct EvidencePiece: Equatable {
    enum Content: Equatable {
        case asItCame([UInt8])
        case apart(CompactJWS)

        var text: [UInt8] {
            switch self {
            case .asItCame(let text): text
            case .apart(let jws): jws.text
            }
        }
    }

    let name: EvidencePart.Name
    let content: Content

    init(name: EvidencePart.Name, content: Content) {
        self.name = name
        self.content = content
    }

    /// - Parameter takesApart: what can be taken apart is.
    init(_ part: EvidencePart, takesApart: Bool) {
        self.name = part.name
        self.content =
            takesApart ? CompactJWS(part.jws[...]).map { .apart($0) } ?? .asItCame(part.jws) : .asItCame(part.jws)
    }
}
