import Testing
import ZeroMQ

@Suite struct Z85Tests {
    /// The test vector of ZeroMQ RFC 32.
    @Test func writesWhatTheSpecificationDoes() {
        let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
        #expect(Z85.text(of: bytes) == "HelloWorld")
        #expect(Z85.bytes(of: "HelloWorld") == bytes)
    }

    @Test(arguments: ["Hello", "HelloWorl", "Hello World", "HelloWorl\u{E9}", "HelloWorl\"", "Hello\nWorl"])
    func refusesWhatIsNoZ85(_ text: String) {
        let bytes = Z85.bytes(of: text)
        #expect(bytes == nil || bytes.flatMap(Z85.text(of:)) == text)
    }

    @Test func refusesBytesThatDoNotFit() { #expect(Z85.text(of: [1, 2, 3]) == nil) }
}
