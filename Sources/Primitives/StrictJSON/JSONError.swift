/// Why a document, or one of its values, was refused. Never says what the document holds.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        // The document itself is refused.
        case syntax = "not JSON"
        case truncated = "the document ends too early"
        case trailingBytes = "bytes after the document"
        case duplicateKey = "a key appears twice in one object"
        case tooDeep = "nested too deeply"
        case tooManyMembers = "too many members in one object"
        case invalidText = "text that is not valid Unicode, or holds U+0000"
        // The document may be fine, but a value is not what its reader asked for.
        case wrongType = "a value of the wrong type"
        case notInteger = "a number that is not an integer of 64 bits"
        case notDate = "a date outside the years 0000 to 9999"
        case notIdentifier = "an identifier that is not 1 to 128 visible ASCII characters"
        case tooLong = "text that is too long"
    }

    package let code: Code
    /// The byte at which the trouble was seen.
    package let offset: Int

    package init(code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    package var description: String { "\(self.code.rawValue) (byte \(self.offset))" }
}
