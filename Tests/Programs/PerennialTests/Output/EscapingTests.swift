import Perennial
import Testing

/// Text of Apple's and of customers on somebody's terminal.
@Suite struct EscapingTests {
    @Test(arguments: [
        ("pro.monthly", "pro.monthly"), ("Grüße 👩‍👩‍👧 日本 שלום", "Grüße 👩‍👩‍👧 日本 שלום"), ("a\u{1B}[2Jb", "a\\u001b[2Jb"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{0}\u{7F}\u{9B}31m", "\\u0000\\u007f\\u009b31m"),
        ("\u{202E}cod.exe", "\\u202ecod.exe"), ("\u{2066}\u{2069}\u{200F}\u{61C}", "\\u2066\\u2069\\u200f\\u061c"),
        ("a\u{2028}b\u{2029}", "a\\u2028b\\u2029"),
    ])
    func `what cannot be seen is escaped`(_ text: String, _ shown: String) {
        #expect(text.escapingControls == shown)
    }

    @Test func `lines stay lines`() { #expect("a\n\tb\u{1B}".escapingControlsInLines == "a\n\tb\\u001b") }

    @Test func `a cell stays in its column`() {
        var table = TextTable()
        table.add(["productId", "a\u{202E}b\nversion  9"])

        #expect(table.lines == ["productId  a\\u202eb\\nversion  9"])
    }
}
