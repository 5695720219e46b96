import Perennial
import Testing

@Suite struct TextTableTests {
    @Test func alignsColumns() {
        var table = TextTable(["ID", "REASON"])
        table.add(["1", "unknownApp"])
        table.add(["1000", ""])

        #expect(table.lines == ["ID    REASON", "1     unknownApp", "1000"])
    }
}
