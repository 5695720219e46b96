import Foundation
import StrictJSON
import Testing

@Suite struct JSONWriterTests {
    @Test func writesNestedStructures() {
        var json = JSONWriter()
        json.object { json in
            json.member("text", "a")
            json.member("none", nil as String?)
            json.member("left out", ifPresent: nil as Int64?)
            json.member("number", ifPresent: -1)
            json.member("flag", true)
            json.member("list") { json in
                json.array { json in
                    json.value(1)
                    json.object { _ in }
                    json.array { _ in }
                    json.null()
                    json.raw(Array(#"{"raw":1}"#.utf8))
                }
            }
            json.member("last", Int64.min)
        }
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"""
                {"text":"a","none":null,"number":-1,"flag":true,"list":[1,{}\#
                ,[],null,{"raw":1}],"last":-9223372036854775808}
                """#
        )
    }

    @Test(arguments: ["", "plain", "\"quoted\"", "back\\slash", "\n\r\t\u{0}\u{1}\u{1F}\u{7F}", "é€😀", "/"])
    func whatIsWrittenIsReadBack(_ text: String) throws {
        var json = JSONWriter()
        json.object { $0.member(text, text) }
        let object = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: String]
        #expect(object == [text: text])
    }

    @Test("what has to be escaped is, wherever in a text it stands, and is found when it is read")
    func specialCharactersAtEveryPlace() throws {
        for special in ["\"", "\\", "\n", "\u{1F}", "é", "😀", " ", "~", "#", "[", "\u{7F}"] {
            for before in 0..<20 {
                for after in [0, 1, 7, 8, 9] {
                    let text =
                        String(repeating: "a", count: before) + special + String(repeating: "\u{7F}", count: after)
                    var json = JSONWriter()
                    json.array { $0.value(text) }
                    var reader = JSONScanner(json.bytes)
                    try reader.beginArray()
                    #expect(try reader.nextElement())
                    #expect(try reader.text() == text)
                    #expect(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String] == [text])
                }
            }
        }
    }

    @Test("control characters are refused wherever in a text they stand", arguments: 0..<20)
    func controlCharactersAtEveryPlace(_ place: Int) {
        for control in 0..<0x20 as Range<UInt8> {
            var document = Array("\"\(String(repeating: "a", count: 20))\"".utf8)
            document[1 + place] = control
            #expect(throws: JSONError(code: .syntax, offset: 1 + place)) { try JSONScanner.validate(document) }
        }
    }

    @Test(arguments: [0, 9, 10, -1, -10, 99, 100, .max, .min] as [Int64])
    func numbers(_ number: Int64) {
        var bytes: [UInt8] = []
        JSONWriter.append(number, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")
    }
}
