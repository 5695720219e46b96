import Perennial
import Testing

@Suite struct WrappedTextTests {
    @Test(arguments: [
        ("", 10, ""), ("one two", 7, "one two"), ("one two", 6, "one\ntwo"), ("one two three", 9, "one two\nthree"),
        ("muchtoolong word", 6, "muchtoolong\nword"),
    ])
    func `lines end at words`(text: String, width: Int, wrapped: String) {
        #expect(text.wrapped(to: width) == wrapped)
    }

    @Test func `further lines begin at the last column`() {
        let line = "2026-07-02  Ben    grace  the card did not pay"

        #expect(line.wrapped(to: 60) == line)
        #expect(
            line.wrapped(to: 40)
                == "2026-07-02  Ben    grace  the card did\n" + String(repeating: " ", count: 26) + "not pay")
        #expect(
            "  20000  Ben  pays every fourth month".wrapped(to: 30)
                == "  20000  Ben  pays every\n              fourth month")
    }
}
