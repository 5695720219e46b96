import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct DemoCommandTests {
    @Test(arguments: [false, true])
    func theCommandsItPrintsWorkAsTyped(_ needsTokens: Bool) async throws {
        // given
        let folder = try TemporaryDirectory()
        var arguments = [
            "demo", "--data", folder.file("my data"), "--port", "0", "--subscribers", "50", "--speed", "20000",
        ]
        if needsTokens {
            let digest = String(repeating: "0", count: 64)
            let configuration = try folder.write(
                """
                http: { tokens: [ { name: backend, sha256: "\(digest)", scopes: [read] } ] }
                log: { level: warning }
                entitlements: { catalog: [ { entitlement: all, products: [pro.monthly] } ] }
                """, to: "demo.yaml")
            arguments += ["--config", configuration]
        }
        let demo = try PerennialProcess(arguments: arguments)
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
        #expect(commands.count == 14)
        #expect(commands.first?.contains(" check --customer ") == true)
        #expect(commands.first?.contains(needsTokens ? "--entitlement all" : "--entitlement pro") == true)
        for result in results {
            #expect(result.status == 0, "\(result.command)")
            #expect(!result.output.isEmpty, "\(result.command)")
            #expect(!result.output.contains("unauthorized"), "\(result.command)")
        }
        #expect(stopped.status == 0)
        #expect(stopped.errors.isEmpty)
        #expect(stopped.output.contains("the same command goes on from there"))
    }

    @Test func tellsWhatHappensToCustomersWithNames() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess(
            "demo", "--data", folder.path, "--port", "0", "--subscribers", "20", "--speed", "864000")

        // when
        let text = try await demo.text(containing: " paid again, nothing was missed")
        demo.terminate()
        demo.terminate()
        let stopped = await demo.result()

        // then
        #expect(text.contains(#/[-\d]{10}  Anna +subscribed  /#))
        #expect(text.contains(#/[-\d]{10}  Ben +grace +the card did not pay: access goes on until \d{4}/#))
        #expect(!text.contains("\u{1B}"))
        #expect(stopped.status == 0)
        #expect(stopped.errors.isEmpty)
    }

    @Test func `tells what a customer has beside the App Store`() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess(
            "demo", "--data", folder.path, "--port", "0", "--subscribers", "20", "--speed", "864000")

        // when
        let text = try await demo.text(containing: " paid on the web again")
        let url = try #require(text.firstMatch(of: #/Perennial +(http\S+)/#)).output.1
        let store = try #require(text.firstMatch(of: #/App Store +(http\S+)/#)).output.1
        let clara = try await PerennialProcess.run("check", "--customer", "clara", "--node", String(url))
        // A poll: news of a renewal may be late on a busy machine.
        var reviewer = try await Self.check("app-review", at: url)
        while reviewer.status == 3 { reviewer = try await Self.check("app-review", at: url) }
        let truth = try await PerennialProcess(shell: "curl -s \(store)/truth/customers/clara").result()
        demo.interrupt()
        let stopped = await demo.result()

        // then three of the people are followed, by the ids that the app has for them
        let followed = text.split(separator: "\n").drop { !$0.hasPrefix("Customers to follow") }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
        #expect(followed.compactMap { $0.split(separator: " ").first } == ["anna", "ben", "clara"])
        // then one of them has the money back, and access all the same
        #expect(text.contains(#/[-\d]{10}  Clara +granted +has what was paid on the web: access until \d{4}/#))
        #expect(text.contains(#/[-\d]{10}  Clara +revoked +has the money back: access ended at once/#))
        #expect(clara.output.hasPrefix("entitled, granted"))
        #expect(truth.output.contains(#""entitled":true"#))
        // then what App Review has bought in Sandbox counts
        #expect(reviewer.status == 0)
        #expect(reviewer.output.contains(#""environment":"Sandbox""#))
        #expect(stopped.status == 0)
        #expect(stopped.errors.isEmpty, "\(stopped.errors)")
        let customers = try #require(
            stopped.output.firstMatch(of: #/(\d+) of (\d+) customers may use what they should/#))
        #expect((Int(customers.output.1) ?? 0) * 10 >= (Int(customers.output.2) ?? 0) * 9)
    }

    private static func check(_ customer: String, at url: Substring) async throws -> PerennialProcess.Result {
        try await PerennialProcess.run("check", "--customer", customer, "--output", "json", "--node", String(url))
    }

    @Test func aSubscriberAndAWebhookFollowAlong() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess("demo", "--data", folder.path, "--port", "0", "--subscribers", "50")

        // when
        let text = try await demo.text(containing: "webhook took ")
        demo.interrupt()
        let stopped = await demo.result()

        // then
        #expect(text.contains("Two services follow along"))
        #expect(stopped.status == 0)
        #expect(
            stopped.output.contains(
                #/A subscriber followed [1-9]\d* changes, and a webhook took [1-9]\d* signed messages\./#))
    }

    @Test func comparesItsAnswersOnABadNetwork() async throws {
        // given
        let folder = try TemporaryDirectory()
        let demo = try PerennialProcess(
            "demo", "--data", folder.path, "--port", "0", "--subscribers", "50", "--lossy")

        // when
        _ = try await demo.text(containing: " as the store has it | ")
        demo.interrupt()
        let stopped = await demo.result()

        // then
        #expect(stopped.status == 0)
        let warnings = stopped.errors.split(whereSeparator: \.isNewline)
        #expect(warnings.allSatisfy { $0.contains("Apple could not deliver notifications to this system") })
        #expect(stopped.output.contains(#/The network lost [1-9]\d* of the attempts and repeated /#))
        #expect(stopped.output.contains(#/\d+ of \d+ answers of the last round were as the store has it/#))
    }

    @Test func goesOnAfterItWasKilled() async throws {
        // given
        let folder = try TemporaryDirectory()
        let arguments = ["demo", "--data", folder.path, "--port", "0", "--subscribers", "50"]
        let killed = try PerennialProcess(arguments: arguments)
        let before = try await Self.events(of: killed)
        killed.kill()
        #expect(await killed.result().status == 128 + SIGKILL)

        // when
        let demo = try PerennialProcess(arguments: arguments)
        let after = try await Self.events(of: demo)
        demo.interrupt()
        let stopped = await demo.result()

        // then
        #expect(!before.isEmpty)
        #expect(after.isSuperset(of: before))
        #expect(stopped.status == 0)
        #expect(stopped.errors.isEmpty)
    }

    @Test func anotherProgramAtItsAddressGetsNothing() async throws {
        // given
        let folder = try TemporaryDirectory()
        let other = try LoopbackListener()

        // when
        let demo = try await PerennialProcess.run("demo", "--data", folder.path, "--port", String(other.port))

        // then
        #expect(demo.status == 1)
        #expect(demo.output.isEmpty)
        #expect(demo.errorLines.count == 1)
        #expect(demo.errors.contains("the port is in use by another program"))
        #expect(!other.hasConnection)
    }

    @Test func aFileIsNoFolder() async throws {
        // given
        let folder = try TemporaryDirectory()
        let file = try folder.write("mine", to: "file")

        // when
        let demo = try await PerennialProcess.run("demo", "--data", file, "--port", "0")

        // then
        #expect(demo.status == 1)
        #expect(demo.errorLines == ["error: \(file): is no folder"])
    }

    private static func events(of demo: PerennialProcess) async throws -> Set<Substring> {
        let text = try await demo.text(containing: "Ctrl-C stops")
        let url = try #require(text.firstMatch(of: #/Perennial +(http\S+)/#)).output.1
        let events = try await PerennialProcess.run("events", "tail", "--output", "json", "--node", String(url))
        return Set(events.output.split(separator: "\n"))
    }

    @Test func goesOnWithTheSameData() async throws {
        // given
        let folder = try TemporaryDirectory()
        func run() async throws -> (events: Set<Substring>, stopped: PerennialProcess.Result) {
            let demo = try PerennialProcess("demo", "--data", folder.path, "--port", "0", "--subscribers", "50")
            let events = try await Self.events(of: demo)
            demo.interrupt()
            return (events, await demo.result())
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
