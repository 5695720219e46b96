import ByteCoding
import Subscriptions

/// What a signed payload says, with the payloads that are signed in it.
struct SignedText {
    /// The JSON of each.
    private var texts: [String] = []

    /// So deep signed payloads are nested in each other, and one more.
    private static let depth = 3

    init(_ jws: [UInt8]) { self.read(jws[...], Self.depth) }

    private mutating func read(_ jws: ArraySlice<UInt8>, _ depth: Int) {
        guard depth > 0, let payload = CompactJWS(jws).flatMap({ Base64.url.decode($0.payload) }) else { return }
        self.texts.append(String(decoding: payload, as: UTF8.self))
        for value in payload.split(separator: UInt8(ascii: "\"")) where value.starts(with: "eyJ".utf8) {
            self.read(value, depth - 1)
        }
    }

    /// Whether it names one of these.
    func names(_ erased: ErasedIdentifiers) -> Bool {
        self.texts.contains { text in
            let text = text.lowercased()
            return erased.identifiers.contains { text.contains("\"\($0.text.lowercased())\"") }
        }
    }
}
