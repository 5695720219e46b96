import AppStoreSimulator
import Foundation
import Testing

/// Holds the catalog's page about the simulator against the lives that the tests live.
@Suite struct SimulatorPageTests {
    private let page: String

    init() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        self.page = try String(
            contentsOf: sources.appending(path: "Programs/Perennial/Perennial.docc/Simulator.md"), encoding: .utf8)
    }

    @Test func everyNotificationIsInTheTableWithALifeThatProducesIt() throws {
        var documented: Set<String> = []
        for row in self.page.matches(of: #/(?m)^\| `([A-Z_ ]+)` \| (.+): `(.+)` \|$/#) {
            let notification = row.output.1.replacing(" ", with: "/")
            let story = try #require(LifeStory.all.first { $0.name == String(row.output.2) }, "\(row.output.2)")
            #expect(Self.oneLine(story) == String(row.output.3), "\(story.name)")
            #expect(
                (story.told.joined() + story.others).contains { $0.split(separator: " ")[0] == notification },
                "\(notification)")
            documented.insert(String(notification))
        }
        let told = LifeStory.all.flatMap { $0.told.joined() + $0.others }
        #expect(documented == Set(told.map { String($0.split(separator: " ")[0]) }))
    }

    /// As the page writes a life: the acts in one line, and before them what is not the default.
    private static func oneLine(_ story: LifeStory) -> String {
        let acts = story.life.split(separator: "\n").map { $0.dropFirst(2) }.joined(separator: "; ")
        return story.grace == "16d" ? acts : "(grace: \(story.grace)) \(acts)"
    }

    @Test func theLifeInTenLinesIsOne() throws {
        let block = try #require(self.page.firstMatch(of: #/(?m)    # mia\.yaml\n((?:    .*\n)+)/#)?.output.1)
        let yaml = block.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
        let scenario = try Scenario(yaml: yaml, named: "mia.yaml")
        let mia = try #require(scenario.people.first)

        let told = try LifecycleFactory(scenario: scenario).notifications(of: mia, number: 0)

        #expect(block.split(separator: "\n").count <= 10)
        let shown = self.page.matches(of: #/(?m)^    2026-\S+  ([A-Z_]+(?: [A-Z_]+)?) +[0-9]  /#).map {
            String($0.output.1)
        }
        #expect(told.map { [$0.type, $0.subtype].compactMap(\.self).joined(separator: " ") } == shown)
    }
}
