import AppStoreSimulator
import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct ScenarioCommandTests {
    private let folder: TemporaryDirectory

    init() throws { self.folder = try TemporaryDirectory() }

    @Test func theDefaultScenarioIsWhereOnesOwnBegins() async throws {
        // given
        let printed = try await PerennialProcess.run("simulate", "scenario")
        let mine = try self.folder.write(printed.output, to: "mine.yaml")

        // when
        let table = try await PerennialProcess.run("simulate", "life", mine, "--months", "6")
        let json = try await PerennialProcess.run("simulate", "life", mine, "--months", "6", "--output", "json")

        // then
        #expect(printed.status == 0)
        #expect(table.status == 0)
        for name in ["Anna: ", "Ben: ", "Clara: "] { #expect(table.output.contains(name)) }
        #expect(table.output.contains("DID_FAIL_TO_RENEW GRACE_PERIOD"))
        #expect(!table.output.contains("but the truth is"))
        #expect(json.status == 0)
        #expect(json.output.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"person":""#) })
        #expect(!json.output.contains(#""agrees":false"#))
    }

    @Test func `the people of the demo live their lives`() async throws {
        // given
        let printed = try await PerennialProcess.run("simulate", "scenario", "--customers")
        let people = try self.folder.write(printed.output, to: "people.yaml")

        // when
        let lives = try await PerennialProcess.run("simulate", "life", people, "--months", "6")

        // then one of them buys in Sandbox
        #expect(printed.output == Scenario.customersText)
        #expect(lives.status == 0, "\(lives.errors)")
        for person in Scenario.customers.people { #expect(lives.output.contains("\(person.name): \(person.story)\n")) }
        #expect(!lives.output.contains("but the truth is"))
    }

    @Test func livesAreTheSameAgain() async throws {
        let mine = try self.folder.write("people: [{ name: Eve, life: [{ buy: news.weekly }] }]", to: "mine.yaml")
        let one = try await PerennialProcess.run("simulate", "life", mine, "--from", "2025-05-01T00:00:00Z")
        let other = try await PerennialProcess.run("simulate", "life", mine, "--from", "2025-05-01T00:00:00Z")

        #expect(one.output == other.output)
        #expect(one.output.contains("2025-05-01T00:00:00"))
    }

    @Test(arguments: [
        ["simulate", "life", "FILE"],
        ["simulate", "corpus", "--count", "1", "--out", "DIR/corpus", "--scenario", "FILE"],
        ["simulate", "--keys", "DIR/keys", "--port", "0", "--scenario", "FILE"],
        ["demo", "--data", "DIR/demo", "--port", "0", "--scenario", "FILE"],
    ])
    func aBadFileIsOneLine(_ words: [String]) async throws {
        // given
        func run(_ file: String) async throws -> PerennialProcess.Result {
            let arguments = words.map {
                $0.replacing("FILE", with: file).replacing("DIR", with: self.folder.path)
            }
            return try await PerennialProcess(arguments: arguments).result()
        }
        let bad = try self.folder.write("people:\n- name: Eve\n  life: [cancle]\n", to: "life.yaml")

        // when
        let mistaken = try await run(bad)
        let missing = try await run("/none/life.yaml")

        // then
        #expect(mistaken.status == 1)
        #expect(mistaken.errorLines == [#"error: \#(bad):3:10: unknown act "cancle"; did you mean "cancel"?"#])
        #expect(missing.status == 1)
        #expect(missing.errorLines == ["error: /none/life.yaml: there is no such file"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path) == ["life.yaml"])
    }

    @Test func aScenarioWithoutPeopleHasNoLives() async throws {
        let file = try self.folder.write("people: []", to: "life.yaml")
        let result = try await PerennialProcess.run("simulate", "life", file)

        #expect(result.status == 1)
        #expect(result.errorLines == ["error: \(file): there are no people in it"])
    }

    @Test func whatIsNoTextIsRefused() async throws {
        let file = try self.folder.write([0xFF, 0xFE, 0x00] as [UInt8], to: "life.yaml")
        let result = try await PerennialProcess.run("simulate", "life", file)

        #expect(result.status == 1)
        #expect(result.errorLines == ["error: \(file): not text in UTF-8"])
    }

    @Test func aSimulationGoesOnByItsOwnScenarioOnly() async throws {
        // given
        let keys = self.folder.file("keys")
        let scenario = try self.folder.write("grace: none", to: "mine.yaml")
        func run(_ more: String...) async throws -> PerennialProcess.Result {
            let simulator = try PerennialProcess(
                arguments: ["simulate", "--port", "0", "--subscribers", "5", "--keys", keys] + more)
            _ = try await simulator.text(containing: "answers on http://127.0.0.1:")
            simulator.interrupt()
            return await simulator.result()
        }

        // when
        let first = try await run("--scenario", scenario)
        let other = try await run()
        let same = try await run("--scenario", scenario)

        // then
        #expect(first.status == 0)
        #expect(other.status == 1)
        #expect(other.errorLines.count == 1)
        #expect(other.errors.contains("by another scenario; use the same, or another directory"))
        #expect(same.status == 0)
    }
}
