import ByteCoding
import Testing

@Suite struct NearestWordTests {
    @Test(arguments: [
        ("prot", "port"), ("Port", "port"), ("tokns", "tokens"), ("pbulic", "public"), ("hosts", "host"),
        ("tsl", "tls"),
    ])
    func isFound(_ word: String, _ nearest: String) {
        #expect(["host", "port", "tls", "tokens", "public"].nearest(to: word) == nearest)
    }

    @Test func amongNothingIsNothing() {
        #expect([String]().nearest(to: "port") == nil)
    }
}
