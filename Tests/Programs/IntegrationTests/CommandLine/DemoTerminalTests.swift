import Foundation
import RegexBuilder
import Testing

/// The demo as a person sees it, in terminals of several widths.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct DemoTerminalTests {
    @Test(arguments: [60, 80, 140], [false, true])
    func `no word and no number is broken`(columns: Int, isLossy: Bool) async throws {
        // given
        let folder = try TemporaryDirectory()
        let terminal = try PseudoTerminal(
            columns: columns,
            [
                try #require(TestBinary.path), "demo", "--data", folder.path, "--port", "0", "--subscribers", "200",
                "--speed", "400000",
            ] + (isLossy ? ["--lossy"] : []))

        // when: it has lived long enough for numbers of several digits
        try await terminal.untilWritten(#/Ctrl-C stops/#)
        try await terminal.untilWritten(#/ \d{2,} (subscribed|expired)/#)
        // As it was before the last change below, which may not have come whole.
        let text = terminal.text
        let whole = String(text[..<(text.ranges(of: "\r\u{1B}").last?.lowerBound ?? text.endIndex)])
        terminal.send(SIGINT)
        let status = try await terminal.exitCode()

        // then: only what is copied, and the log, goes beyond the width
        let screen = Screen(columns: columns, showing: whole)
        let broken = screen.broken.filter { line in !["  /", "  curl", "Database"].contains { line.hasPrefix($0) } }
        #expect(broken.allSatisfy { $0.firstMatch(of: #/^\d{4}-\d\d-\d\dT\S+ warning /#) != nil }, "\(broken)")
        // then: every field below is whole
        let below = whole.replacing(#/\u{1B}\[\d*[AJ]/#, with: "\n").split(whereSeparator: \.isNewline)
            .filter { $0.contains(" | ") && !$0.hasPrefix(" ") }
        #expect(!below.isEmpty)
        for field in below.flatMap({ $0.split(separator: #/ \| |, /#) }) {
            #expect(field.wholeMatch(of: Self.field) != nil, "\(field)")
        }
        // then: it stands there once, and nothing else is in it
        let shown = screen.lines.filter { $0.contains(" | ") && !$0.hasPrefix(" ") && !$0.hasSuffix("head -n 12") }
        #expect(shown.count <= 2, "\(shown)")
        #expect(status == 0)
        // Where it is broken the count of answers decides.
        let words = terminal.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("answers of the last round were as the store has it"))
    }

    private static var field: some RegexComponent<Substring> {
        Regex {
            ChoiceOf {
                #/\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?/#
                #/\d+ (?:subscribed|grace|retry|expired|revoked|unknown|received|checks\/s)/#
                #/\d+ (?:lost|repeated|on the way)/#
                #/\d+ of \d+ as the store has it/#
                #/visible in \d+ ms/#
                #/(?:subscriber heard|webhook took) \d+/#
                "waiting for a first customer to buy"
            }
        }
    }
}
