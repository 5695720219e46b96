import ByteCoding
import Foundation
import Testing

@Suite struct Base64Tests {
    @Test func agreesWithFoundation() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            let text = Base64.standard.encode(bytes)
            #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
            #expect(Base64.standard.decode(text[...]) == bytes)
            #expect(Base64.url.decode(Base64.url.encode(bytes)[...]) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AB", "AAB", "AA==", "AAA=", "AA A", "AAAA\n", " AAAA", "AA.A", "AA+A", "AA/A", "ÄAAA", "AAAA=",
        "====",
    ])
    func urlAlphabetIsStrict(_ text: String) { #expect(Base64.url.decode(Array(text.utf8)[...]) == nil) }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "A===", "AB==", "AAB=", "AA==AAAA", "AA-A", "AA_A", "AAAA\n", "=AAA", "====",
    ])
    func standardAlphabetIsStrict(_ text: String) { #expect(Base64.standard.decode(Array(text.utf8)[...]) == nil) }

    @Test func decodesSlicesInPlace() {
        let text = Array("....QUJD....".utf8)
        #expect(Base64.url.decode(text[4..<8]) == Array("ABC".utf8))
    }
}
