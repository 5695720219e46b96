import Perennial
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("/usr/bin/perennial", "/usr/bin/perennial"), ("/my data/demo.token", "'/my data/demo.token'"),
        ("it's", #"'it'\''s'"#), ("", "''"), ("$HOME", "'$HOME'"), ("ä", "'ä'"),
    ])
    func aShellTakesItAsItIs(_ text: String, _ word: String) {
        #expect(ShellWord(text).description == word)
    }
}
