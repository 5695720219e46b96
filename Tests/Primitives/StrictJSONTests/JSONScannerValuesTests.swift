import StrictJSON
import Testing

@Suite struct JSONScannerValuesTests {
    @Test func readsAnObjectMemberByMember() throws {
        var json = JSONScanner(
            Array(#" {"name" : "n" , "list":[1, 2],"no":null,"flag":true,"deep":{"x":[{}]},"last":-5} "#.utf8))
        var seen: [String] = []
        var list: [Int64] = []
        try json.beginObject()
        while let key = try json.nextKey() {
            seen.append(json.text(of: key))
            switch key {
            case "name": #expect(try json.text() == "n")
            case "list":
                try json.beginArray()
                while try json.nextElement() { list.append(try json.integer()) }
            case "flag": #expect(try json.bool())
            case "last": #expect(try json.integer() == -5)
            default: try json.skip()
            }
        }
        try json.end()
        #expect(seen == ["name", "list", "flag", "deep", "last"])
        #expect(list == [1, 2])
    }

    @Test(arguments: [true, false])
    func `empty text counts as null where the reader says so`(_ isNull: Bool) throws {
        var json = JSONScanner(
            Array(#"{"a":"","b": "" ,"c":" ","d":{"e":""},"f":[""],"g":""}"#.utf8), emptyTextIsNull: isNull)
        var seen: [String] = []
        try json.beginObject()
        while let key = try json.nextKey() {
            seen.append(json.text(of: key))
            if json.text(of: key) == "f" { #expect(try json.texts() == [""]) } else { try json.skip() }
        }
        try json.end()
        #expect(seen == (isNull ? ["c", "d", "f"] : ["a", "b", "c", "d", "f", "g"]))
    }

    @Test(arguments: [#"{"a":""#, #"{"a":"""#, #"{"a":"""}"#, #"{"a":"" "b":1}"#, #"{"a":"","a":""}"#])
    func `empty text that counts as null is still checked`(_ text: String) {
        var json = JSONScanner(Array(text.utf8), emptyTextIsNull: true)
        #expect(throws: JSONError.self) {
            try json.skip()
            try json.end()
        }
    }

    @Test func leavingAValueUnreadIsAnError() throws {
        var json = JSONScanner(Array(#"{"a":1,"b":2}"#.utf8))
        try json.beginObject()
        _ = try json.nextKey()
        #expect(throws: JSONError.self) { try json.nextKey() }
    }

    @Test(arguments: [
        ("0", 0 as Int64?), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e3", nil), ("1.0", nil), ("1E0", nil),
        ("99999999999999999999999999", nil),
    ])
    func integersAreExact(_ text: String, _ value: Int64?) {
        var json = JSONScanner(Array(text.utf8))
        #expect((try? json.integer()) == value)
    }

    @Test(arguments: [
        ("1697679936049", 1_697_679_936_049 as Int64?, 1_697_679_936_049 as Int64?),
        ("1697679936049.7297", nil, 1_697_679_936_049), ("-62135769600000", -62_135_769_600_000, -62_135_769_600_000),
        ("253402300799999", 253_402_300_799_999, 253_402_300_799_999), ("253402300800000", nil, nil),
        ("-62167219200001", nil, nil), ("1e12", nil, nil), ("\"1697679936049\"", nil, nil), ("true", nil, nil),
    ])
    func dates(_ text: String, _ exact: Int64?, _ withFraction: Int64?) {
        var json = JSONScanner(Array(text.utf8))
        #expect((try? json.milliseconds()) == exact)
        json = JSONScanner(Array(text.utf8))
        #expect((try? json.milliseconds(allowingFraction: true)) == withFraction)
    }

    @Test(arguments: [
        (#""2000000000000001""#, "2000000000000001" as String?), ("2000000000000001", "2000000000000001"),
        ("99999999999999999999", "99999999999999999999"), (#""0""#, "0"), ("0", "0"), (#""a-b.c""#, "a-b.c"),
        (#""\u0061""#, "a"), (#""""#, nil), (#"" ""#, nil), (#""a b""#, nil), (#""ä""#, nil), ("-1", nil), ("1.5", nil),
        ("1e3", nil), ("true", nil), ("[]", nil),
        ("\"\(String(repeating: "1", count: 128))\"", String(repeating: "1", count: 128)),
        ("\"\(String(repeating: "1", count: 129))\"", nil), (String(repeating: "1", count: 129), nil),
    ])
    func identifiers(_ text: String, _ identifier: String?) {
        var json = JSONScanner(Array(text.utf8))
        #expect((try? json.identifier()) == identifier)
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC""#, "é€"), (#""\ud83d\ude00""#, "😀"),
        (#""é€😀""#, "é€😀"), (#""12345678\"12345678é12345678""#, "12345678\"12345678é12345678"), (#""""#, ""),
        ("\"\u{7F}\"", "\u{7F}"),
    ])
    func texts(_ text: String, _ value: String) throws {
        var json = JSONScanner(Array(text.utf8))
        #expect(try json.text() == value)
    }

    @Test func textsAreBounded() throws {
        var json = JSONScanner(Array(#""abcd""#.utf8))
        #expect(try json.text(maximumBytes: 4) == "abcd")
        json = JSONScanner(Array(#""abcde""#.utf8))
        #expect(throws: JSONError(code: .tooLong, offset: 0)) { try json.text(maximumBytes: 4) }
    }

    @Test func wrongTypesAreNamed() throws {
        for (text, kind) in [
            ("{}", JSONScanner.Kind.object), ("[]", .array), ("\"\"", .text), ("1", .number), ("null", .null),
        ] {
            var json = JSONScanner(Array(text.utf8))
            #expect(try json.kind() == kind)
            #expect(throws: JSONError(code: .wrongType, offset: 0)) { try json.bool() }
        }
    }

    @Test func rawValuesAreSlicesOfTheDocument() throws {
        var json = JSONScanner(Array(#"{"a": {"b":[1,"x"]} ,"c":1}"#.utf8))
        try json.beginObject()
        _ = try json.nextKey()
        #expect(String(decoding: try json.rawValue(), as: UTF8.self) == #"{"b":[1,"x"]}"#)
        _ = try json.nextKey()
        #expect(try json.integer() == 1)
        let hasMore = try json.nextKey() != nil
        #expect(!hasMore)
    }
}
