import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct DemoCommandTests {
    @Test func theCommandsItPrintsWorkAsTyped() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess("demo", "--data", folder.path, "--port", "0", "--subscribers", "50")
        let text = try await demo.text(containing: "Ctrl-C stops")
        let commands = text.split(separator: "\n").drop { !$0.hasPrefix("Try") }
            .filter { $0.hasPrefix("  ") }.map { $0.trimmingCharacters(in: .whitespaces) }

        // when
        var results: [(command: String, status: Int32, output: String)] = []
        for command in commands {
            let result = try await PerennialProcess(shell: command).result()
            results.append((command, result.status, result.output))
        }
        demo.interrupt()
        let stopped = await demo.result()

        // then
        #expect(text.contains("First entitlement answered after"))
        #expect(commands.count == 8)
        for result in results {
            #expect(result.status == 0, "\(result.command)")
            #expect(!result.output.isEmpty, "\(result.command)")
        }
        #expect(stopped.status == 0)
        #expect(stopped.output.contains("the same command goes on from there"))
    }

    @Test func goesOnWithTheSameData() async throws {
        // given
        let folder = try TemporaryDirectory()
        func run() async throws -> (events: Set<Substring>, stopped: PerennialProcess.Result) {
            let demo = try PerennialProcess("demo", "--data", folder.path, "--port", "0", "--subscribers", "50")
            let text = try await demo.text(containing: "Ctrl-C stops")
            let url = try #require(text.firstMatch(of: #/Perennial +(http\S+)/#)).output.1
            let events = try await PerennialProcess.run("events", "tail", "--output", "json", "--node", String(url))
            demo.interrupt()
            return (Set(events.output.split(separator: "\n")), await demo.result())
        }

        // when
        let first = try await run()
        let second = try await run()

        // then
        #expect(!first.events.isEmpty)
        #expect(second.events.isSuperset(of: first.events))
        #expect(first.stopped.status == 0)
        #expect(second.stopped.status == 0)
    }

    @Test func anotherSimulationInTheSameFolderIsRefused() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess("demo", "--data", folder.path, "--port", "0", "--subscribers", "50")
        _ = try await demo.text(containing: "Ctrl-C stops")
        demo.interrupt()
        _ = await demo.result()

        // when
        let other = try await PerennialProcess.run("demo", "--data", folder.path, "--port", "0", "--subscribers", "51")

        // then
        #expect(other.status == 1)
        #expect(
            other.errorLines == [
                "error: \(folder.path) holds a demo with 50 subscribers: give --subscribers 50 or another --data"
            ])
    }
}
