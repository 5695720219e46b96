import ByteCoding
import EventLog

/// A part as the layout holds it.
struct EvidencePiece: Equatable {
    enum Content: Equatable {
        case asItCame([UInt8])
        case apart(DecodedJWS)

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

    /// Taken apart, if it can be.
    init(_ part: EvidencePart) {
        self.name = part.name
        self.content = DecodedJWS(part.jws[...]).map { .apart($0) } ?? .asItCame(part.jws)
    }

    var whole: EvidencePiece { EvidencePiece(name: self.name, content: .asItCame(self.content.text)) }
}
