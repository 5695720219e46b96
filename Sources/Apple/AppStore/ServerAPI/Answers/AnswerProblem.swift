import StrictJSON

/// Why the body of a success is refused. Says nothing of what it holds.
enum AnswerProblem: Error, CustomStringConvertible {
    case json(JSONError)
    case missing(String)

    var description: String {
        switch self {
        case .json(let error): error.description
        case .missing(let name): "\(name) is missing"
        }
    }
}

extension AnswerProblem {
    /// Reads one document that is an object; what `member` does not read it skips. Empty text counts as null.
    static func read(
        _ body: [UInt8], _ member: (JSONKey, inout JSONScanner) throws(JSONError) -> Void
    ) throws(AnswerProblem) {
        do throws(JSONError) {
            var json = JSONScanner(body, emptyTextIsNull: true)
            try json.readObject(member)
            try json.end()
        } catch {
            throw .json(error)
        }
    }
}

extension AnswerProblem {
    /// The answer to what has none: no bytes, or a document of which nothing matters.
    static func readNothing(_ body: [UInt8]) throws(AnswerProblem) {
        guard !body.isEmpty else { return }
        do throws(JSONError) { try JSONScanner.validate(body) } catch { throw .json(error) }
    }

    /// Whether `body`, which cannot be read, is no JSON at all, or the beginning of some. Apple writes JSON: this is of
    /// somebody who stands between.
    static func isForeign(_ body: [UInt8]) -> Bool {
        do throws(JSONError) {
            try JSONScanner.validate(body)
            return false
        } catch {
            switch error.code {
            case .syntax, .truncated, .trailingBytes, .invalidText: return true
            case .duplicateKey, .tooDeep, .tooManyMembers, .wrongType, .notInteger, .notDate, .notIdentifier, .tooLong:
                return false
            }
        }
    }
}

extension JSONScanner {
    /// Longer texts than any that Apple sends outside signed strings.
    private static var maximumTextBytes: Int { 4_096 }

    mutating func readObject(
        _ member: (JSONKey, inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        try self.beginObject()
        while let key = try self.nextKey() { try member(key, &self) }
    }

    mutating func readArray(_ element: (inout JSONScanner) throws(JSONError) -> Void) throws(JSONError) {
        try self.beginArray()
        while try self.nextElement() { try element(&self) }
    }

    mutating func answerText() throws(JSONError) -> String { try self.text(maximumBytes: Self.maximumTextBytes) }

    mutating func signedString() throws(JSONError) -> SignedString { SignedString(jws: Array(try self.textBytes())) }

    mutating func signedStrings() throws(JSONError) -> [SignedString] {
        var strings: [SignedString] = []
        try self.readArray { json throws(JSONError) in strings.append(try json.signedString()) }
        return strings
    }
}
