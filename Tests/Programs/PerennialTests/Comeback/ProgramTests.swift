import Perennial
import Testing

@Suite struct ProgramTests {
    private static let link = "/opt/perennial/current/perennial"
    private static let origin = "/opt/perennial/1.0/perennial"

    private func path(startedAs name: String, origin: String? = origin, whatIsThere: String...) -> String {
        Program.path(startedAs: name, from: origin) { whatIsThere.contains($0) }
    }

    @Test("a program begins anew by the path that it was started with, which may lead to a newer version")
    func prefersThePath() {
        #expect(self.path(startedAs: Self.link, whatIsThere: Self.link, Self.origin) == Self.link)
        #expect(self.path(startedAs: "./perennial", whatIsThere: "./perennial", Self.origin) == "./perennial")
    }

    @Test("one that was searched for by its name, or whose path leads nowhere, begins where it lay")
    func fallsBackToWhereItLay() {
        #expect(self.path(startedAs: "perennial", whatIsThere: "perennial", Self.origin) == Self.origin)
        #expect(self.path(startedAs: Self.link, whatIsThere: Self.origin) == Self.origin)
    }

    @Test("if nothing is left there, the file that still runs is the program")
    func fallsBackToTheRunningFile() {
        #expect(self.path(startedAs: Self.link) == "/proc/self/exe")
        #expect(self.path(startedAs: "perennial", origin: nil) == "/proc/self/exe")
    }
}
