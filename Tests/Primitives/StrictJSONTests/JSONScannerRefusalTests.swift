import StrictJSON
import Testing

/// A document that must be refused, and why.
struct Refusal: CustomTestStringConvertible {
    let document: [UInt8]
    let code: JSONError.Code
    let testDescription: String

    init(_ document: String, _ code: JSONError.Code) {
        self.init(Array(document.utf8), code, document)
    }

    init(_ document: [UInt8], _ code: JSONError.Code, _ description: String) {
        self.document = document
        self.code = code
        self.testDescription = description
    }
}

@Suite struct JSONScannerRefusalTests {
    @Test(arguments: [
        Refusal("", .truncated), Refusal("   ", .truncated), Refusal("{", .truncated), Refusal("{\"a\"", .truncated),
        Refusal("{\"a\":", .truncated), Refusal("{\"a\":1", .truncated), Refusal("[1", .truncated),
        Refusal("\"abc", .truncated), Refusal("tru", .truncated), Refusal("\"\\", .truncated),
        Refusal("{}x", .trailingBytes), Refusal("{} {}", .trailingBytes), Refusal("1 2", .trailingBytes),
        Refusal("{\"a\":1}\u{0}", .trailingBytes),
    ])
    func refusesDocumentsThatEndWrongly(_ refusal: Refusal) { Self.expect(refusal) }

    @Test(arguments: [
        Refusal("{,}", .syntax), Refusal("{\"a\":1,}", .syntax), Refusal("[1,]", .syntax), Refusal("[,1]", .syntax),
        Refusal("[1 2]", .syntax), Refusal("{\"a\" 1}", .syntax), Refusal("{a:1}", .syntax), Refusal("{1:2}", .syntax),
        Refusal("{\"a\":1 \"b\":2}", .syntax), Refusal("nul1", .syntax), Refusal("True", .syntax),
        Refusal("'a'", .syntax), Refusal("// a\n1", .syntax), Refusal("[}", .syntax), Refusal("{]", .syntax),
        Refusal("\"a\nb\"", .syntax), Refusal("\"a\\x\"", .syntax), Refusal("\"\\u12g4\"", .syntax),
        Refusal("NaN", .syntax), Refusal("Infinity", .syntax), Refusal("+1", .syntax), Refusal("01", .syntax),
        Refusal("-", .syntax), Refusal("-a", .syntax), Refusal("1.", .syntax), Refusal(".5", .syntax),
        Refusal("1e", .truncated), Refusal("1e+", .syntax), Refusal("1ea", .syntax), Refusal("0x10", .trailingBytes),
        Refusal([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .syntax, "byte order mark"),
        Refusal([0xFF, 0xFE, 0x7B, 0x00], .syntax, "UTF-16"),
    ])
    func refusesWhatIsNotJSON(_ refusal: Refusal) { Self.expect(refusal) }

    @Test(arguments: [
        Refusal(#"{"a":1,"a":1}"#, .duplicateKey), Refusal(#"{"a":1,"b":2,"a":3}"#, .duplicateKey),
        Refusal(#"{"a":1,"\u0061":2}"#, .duplicateKey), Refusal(#"{"x":{"b":[{"a":1,"a":2}]}}"#, .duplicateKey),
        Refusal(#"{"a":null,"a":null}"#, .duplicateKey), Refusal(#"{"":1,"":2}"#, .duplicateKey),
        Refusal(
            "{\"\(String(repeating: "k", count: 40))1\":1,\"\(String(repeating: "k", count: 40))1\":2}", .duplicateKey),
    ])
    func refusesDuplicateKeys(_ refusal: Refusal) { Self.expect(refusal) }

    @Test func tellsLongKeysApart() throws {
        let prefix = String(repeating: "k", count: 40)
        try JSONScanner.validate(Array("{\"\(prefix)1\":1,\"\(prefix)2\":2}".utf8))
    }

    @Test func comparesLongKeysWhole() throws {
        let prefix = String(repeating: "k", count: 4_096)
        let keys = (100..<356).map { "\"\(prefix)\($0)\":0" }
        try JSONScanner.validate(Array("{\(keys.joined(separator: ","))}".utf8))
        let again = "\"\\u006b\(prefix.dropFirst())100\":0"
        Self.expect(Refusal("{\((keys.dropLast() + [again]).joined(separator: ","))}", .duplicateKey))
    }

    @Test func sameKeyInSiblingObjectsIsFine() throws {
        try JSONScanner.validate(Array(#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}"#.utf8))
    }

    @Test(arguments: [
        Refusal([0x22, 0x80, 0x22], .invalidText, "a continuation byte alone"),
        Refusal([0x22, 0xC0, 0x80, 0x22], .invalidText, "an overlong NUL"),
        Refusal([0x22, 0xE0, 0x80, 0x80, 0x22], .invalidText, "three bytes, overlong"),
        Refusal([0x22, 0xED, 0xA0, 0x80, 0x22], .invalidText, "a surrogate in UTF-8"),
        Refusal([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidText, "beyond U+10FFFF"),
        Refusal([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], .invalidText, "a lead byte that does not exist"),
        Refusal([0x22, 0xC3], .truncated, "a sequence cut by the end"),
        Refusal([0x22, 0xC3, 0x22], .invalidText, "a sequence cut by a quote"),
        Refusal(#""\u0000""#, .invalidText), Refusal(#"{"\u0000":1}"#, .invalidText),
        Refusal(#""\ud800""#, .invalidText), Refusal(#""\udc00""#, .invalidText),
        Refusal(#""\ud800\u0041""#, .invalidText), Refusal(#""\ud800\n""#, .invalidText),
        Refusal(#""\udc00\ud800""#, .invalidText),
        Refusal([0x22, 0x00, 0x22], .syntax, "a NUL byte"),
    ])
    func refusesTextThatIsNoUnicode(_ refusal: Refusal) { Self.expect(refusal) }

    @Test func bounds() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        func members(_ count: Int) -> String {
            "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        }
        try JSONScanner.validate(Array(nested(32).utf8))
        Self.expect(Refusal(nested(33), .tooDeep))
        Self.expect(Refusal(String(repeating: "{\"a\":", count: 100_000), .tooDeep))
        try JSONScanner.validate(Array(members(256).utf8))
        Self.expect(Refusal(members(257), .tooManyMembers))
    }

    private static func expect(_ refusal: Refusal, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: JSONError.self, sourceLocation: sourceLocation) {
            try JSONScanner.validate(refusal.document)
        }
        #expect(error?.code == refusal.code, sourceLocation: sourceLocation)
    }
}
