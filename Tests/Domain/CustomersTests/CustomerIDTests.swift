import Subscriptions
import Testing

@Suite struct CustomerIDTests {
    @Test func `an id has 1 to 128 bytes of UTF-8 without control characters`() {
        #expect(CustomerID("") == nil)
        #expect(CustomerID(String(repeating: "a", count: 129)) == nil)
        #expect(CustomerID(String(repeating: "é", count: 65)) == nil)
        #expect(CustomerID(String(repeating: "é", count: 64)) != nil)
        for control in ["a\u{0}", "\n", "\u{7F}", "\u{85}"] { #expect(CustomerID(control) == nil) }
        #expect(CustomerID("user 1001/été")?.rawValue == "user 1001/été")
    }

    @Test func `ids compare by bytes, and UUIDs in any case are one`() {
        #expect(CustomerID("U-1") != CustomerID("u-1"))
        #expect(CustomerID("\u{E9}") != CustomerID("e\u{301}"))
        #expect(
            CustomerID("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11") == CustomerID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"))
        #expect(AccountToken("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1") == nil)
        #expect(AccountToken("a0eebc99_9c0b-4ef8-bb6d-6bb9bd380a11") == nil)
        #expect(AccountToken("g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11") == nil)
    }
}
