import Foundation
import JSONScanning
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
}
