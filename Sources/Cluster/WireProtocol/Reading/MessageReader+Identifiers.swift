import Subscriptions

/// An `Identifier` as it is stored. It points into the bytes that it was read from.
enum StoredIdentifier {
    case text(String)
    case number(UInt64)
    case uuid(UnsafeRawBufferPointer, isUpperCase: Bool)
    case formless

    var spelling: String {
        get throws(WireError) {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            case .uuid(let bytes, let isUpperCase): try UUIDBytes.text(of: bytes, isUpperCase: isUpperCase)
            case .formless: throw WireError(.malformed, "an identifier without a form")
            }
        }
    }
}

extension MessageReader {
    mutating func identifier() throws(WireError) -> StoredIdentifier {
        var message = try self.message()
        var identifier = StoredIdentifier.formless
        while let field = try message.nextField() {
            switch field {
            case 1: identifier = .text(try message.text())
            case 2: identifier = .number(try message.number())
            case 3: identifier = .uuid(try message.content(), isUpperCase: false)
            case 4: identifier = .uuid(try message.content(), isUpperCase: true)
            default: try message.skip()
            }
        }
        return identifier
    }

    mutating func moment() throws(WireError) -> Moment { Moment(rawValue: try self.integer()) }

    mutating func digest() throws(WireError) -> PayloadDigest {
        let content = try self.content()
        guard content.count == 32 else { throw WireError(.malformed, "a SHA-256 digest has 32 bytes") }
        return PayloadDigest(rawBytes: content)
    }

    /// A `TextList`.
    mutating func texts() throws(WireError) -> [String] {
        var message = try self.message()
        var texts = [String]()
        while let field = try message.nextField() {
            if field == 1 { texts.append(try message.text()) } else { try message.skip() }
        }
        return texts
    }
}

/// The two fields in which a word is written. They may come in any order, so that they are understood at the end.
struct StoredWord<Word: KnownWord> {
    var number = 0
    var text = ""

    /// nil when nothing was said.
    var spelling: String? {
        get throws(WireError) { try Word.spelling(of: self.number, orOther: self.text) }
    }
}
