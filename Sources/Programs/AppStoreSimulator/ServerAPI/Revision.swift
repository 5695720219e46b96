import ByteCoding

/// Where a page of transactions ends. Opaque to clients.
struct Revision: Hashable {
    enum Kind: String {
        case ascending = "a"
        case descending = "d"
        case refunds = "r"
    }

    let kind: Kind
    let place: Int64

    init(kind: Kind, place: Int64) {
        self.kind = kind
        self.place = place
    }

    /// nil for what is none.
    init?(text: String) {
        guard let bytes = Base64.url.decode(Array(text.utf8)[...]) else { return nil }
        let contents = String(decoding: bytes, as: UTF8.self)
        guard let kind = contents.first.flatMap({ Kind(rawValue: String($0)) }),
            let place = Int64(contents.dropFirst()), place >= 0
        else { return nil }
        self.kind = kind
        self.place = place
    }

    var text: String {
        String(decoding: Base64.url.encode(Array("\(self.kind.rawValue)\(self.place)".utf8)), as: UTF8.self)
    }
}
