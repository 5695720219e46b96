import Perennial
import StrictJSON
import Testing

@Suite struct JSONFragmentTests {
    private let answer: JSONFragment

    init() throws {
        self.answer = try JSONFragment(
            Array(#"{"state": "grace\n", "version": 7, "offer": null, "code": 1.0, "tags": ["a", {"b": true}]}"#.utf8))
    }

    @Test func readsMembers() {
        #expect(self.answer["state"]?.plain == "grace\n")
        #expect(self.answer["version"]?.plain == "7")
        #expect(self.answer["offer"]?.plain == nil)
        #expect(self.answer["missing"] == nil)
        #expect(self.answer["tags"]?.items.last?["b"]?.plain == "true")
        #expect(self.answer["tags"]?.plain == nil)
        #expect(self.answer["state"]?.items.isEmpty == true)
    }

    @Test func keepsTheOrderAndTheText() {
        #expect(self.answer.members.map(\.name) == ["state", "version", "code", "tags"])
        #expect(self.answer["tags"]?.serialized == #"["a", {"b": true}]"#)
    }

    @Test func refusesWhatIsNoJSON() {
        #expect(throws: JSONError.self) { try JSONFragment(Array("<html>".utf8)) }
    }
}
