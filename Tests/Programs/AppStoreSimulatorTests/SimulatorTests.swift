import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Subscriptions
import Synchronization
import Testing

/// The simulator alone, without anybody to deliver to.
@Suite(.timeLimit(.minutes(10))) struct SimulatorTests {
    /// Runs a simulator that has caught up with the present for as long as `body` takes.
    private func withSimulator(
        _ path: String, _ configuration: SimulatorConfiguration? = nil,
        _ body: (AppStoreSimulator, _ port: Int) async throws -> Void
    ) async throws {
        var configuration = configuration ?? SimulatorConfiguration(keysDirectory: path)
        configuration.subscribers = 10
        configuration.speed = 1e9
        try await withCaughtUpSimulator(configuration, body)
    }

    private func get(_ url: String) async throws -> (status: Int, body: [String: Any]) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .minutes(9))
        let body = try await response.body.collect(upTo: 1 << 20)
        let object = try JSONSerialization.jsonObject(with: Data(body.readableBytesView))
        return (Int(response.status.code), object as? [String: Any] ?? [:])
    }

    @Test func namedCustomersLiveTheirStories() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, _ in
                let named = simulator.configuration.scenario.namedCustomers
                let lives = named.map { named in
                    simulator.truths.truth(of: named.originalTransactionID)?.changes.map(\.value.state) ?? []
                }
                #expect(named.map(\.name) == ["Anna", "Ben", "Clara"])
                #expect(lives[0] == [.subscribed])
                #expect(lives[1].starts(with: [.subscribed, .grace]) && !lives[1].contains(.expired))
                #expect(lives[2] == [.subscribed, .revoked])
            }
        }
    }

    @Test func tellsTheTruthOverHTTP() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, port in
                // given a customer who is revoked now, and was subscribed before
                let id = simulator.configuration.scenario.namedCustomers[2].originalTransactionID
                let now = try await self.get("http://127.0.0.1:\(port)/truth/\(id)")
                #expect(now.status == 200)
                #expect(now.body["state"] as? String == "revoked")
                #expect(now.body["status"] as? Int == 5)
                #expect(now.body["entitled"] as? Bool == false)

                let before = (simulator.time.now - .days(150)).description
                let past = try await self.get("http://127.0.0.1:\(port)/truth/\(id)?at=\(before)")
                #expect(past.body["state"] as? String == "subscribed")
                #expect(past.body["at"] as? String == before)

                #expect(try await self.get("http://127.0.0.1:\(port)/truth/1").status == 404)
                #expect(try await self.get("http://127.0.0.1:\(port)/truth/\(id)?at=yesterday").status == 400)
            }
        }
    }

    @Test func tellsTheTruthOfManyMomentsAtOnce() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, port in
                // given moments of one subscription
                let id = Scenario.default.namedCustomers[1].originalTransactionID
                let moments = [90, 60, 30].map { (simulator.time.now - .days($0)).description }
                let url = "http://127.0.0.1:\(port)/truth/\(id)"

                // when they are asked about together, and one by one
                let together = try await self.get(url + "?" + moments.map { "at=\($0)" }.joined(separator: "&"))
                let answers = try #require(together.body["answers"] as? [[String: Any]])

                // then the answers are the same
                #expect(answers.map { $0["at"] as? String } == moments)
                for (moment, answer) in zip(moments, answers) {
                    let alone = try await self.get("\(url)?at=\(moment)")
                    #expect(alone.body as NSDictionary == answer as NSDictionary)
                }
                let many = Array(repeating: "at=\(moments[0])", count: 101).joined(separator: "&")
                #expect(try await self.get("\(url)?\(many)").status == 400)
            }
        }
    }

    @Test func listsEverythingSoldInPages() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, port in
                // when all pages are read
                let url = "http://127.0.0.1:\(port)/truth"
                var listed: [[String: Any]] = []
                var next: String?
                repeat {
                    let page = try await self.get(url + "?limit=3" + (next.map { "&after=\($0)" } ?? ""))
                    let truths = try #require(page.body["truths"] as? [[String: Any]])
                    #expect(truths.count <= 3)
                    #expect(page.body["environment"] as? String == "Production")
                    #expect(page.body["bundleId"] as? String == "com.example.app")
                    #expect(page.body["now"] is String)
                    listed += truths
                    next = page.body["next"] as? String
                } while next != nil

                // then everything is there, with its kind and the moment of its sale
                let ids = listed.compactMap { $0["originalTransactionId"] as? String }
                #expect(ids == simulator.truths.ids(first: ids.count))
                #expect(ids.count >= 8)
                for item in listed {
                    let id = try #require(item["originalTransactionId"] as? String)
                    let truth = try #require(simulator.truths.truth(of: id))
                    #expect(item["since"] as? String == truth.changes.first?.from.description)
                    let isPurchase = truth.changes.first?.value.state.rawValue == "owned"
                    #expect(item["kind"] as? String == (isPurchase ? "purchase" : "subscription"))
                }
                for query in ["limit=0", "limit=1001", "limit=many", "after=1"] {
                    #expect(try await self.get("\(url)?\(query)").status == 400)
                }
            }
        }
    }

    @Test func namesWhatHasNotArrived() async throws {
        try await withTemporaryDirectory { path in
            // given a store of the sandbox whose notifications are all lost
            var lossy = SimulatorConfiguration(keysDirectory: path)
            lossy.store.environment = .sandbox
            lossy.deliverTo = ["http://127.0.0.1:1/"]
            lossy.disturbances = Disturbances(lose: 1)
            try await self.withSimulator(path, lossy) { simulator, port in
                let id = Scenario.default.namedCustomers[0].originalTransactionID
                let url = "http://127.0.0.1:\(port)/truth/\(id)"
                let since = try #require(simulator.truths.truth(of: id)?.changes.first?.from)

                // when the truth is asked for shortly after the first purchase, until nothing more is tried
                func firstMissing() async throws -> [String: Any] {
                    let answer = try await self.get("\(url)?at=\((since + .minutes(1)).description)")
                    return try #require((answer.body["missing"] as? [[String: Any]])?.first)
                }
                var first = try await firstMissing()
                while first["state"] as? String == "waiting" {
                    try await Task.sleep(for: .milliseconds(5))
                    first = try await firstMissing()
                }

                // then it says which notification did not arrive, and why
                #expect(first["notificationType"] as? String == "SUBSCRIBED")
                #expect(first["subtype"] as? String == "INITIAL_BUY")
                #expect(first["state"] as? String == "givenUp")
                let attempts = try #require(first["attempts"] as? [[String: Any]])
                #expect(attempts.map { $0["result"] as? String } == ["TIMED_OUT"])
            }
        }
    }

    @Test func aHistoryMayBeLonger() async throws {
        try await withTemporaryDirectory { path in
            var long = SimulatorConfiguration(keysDirectory: path)
            long.past = .days(730)
            try await self.withSimulator(path, long) { simulator, _ in
                let id = Scenario.default.namedCustomers[0].originalTransactionID
                let since = try #require(simulator.truths.truth(of: id)?.changes.first?.from)
                #expect(since < SimulatedTime.realNow() - .days(729))
            }
        }
    }

    /// Keeps the messages.
    private struct Recorder: LogHandler {
        let messages: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        func log(event: LogEvent) { self.messages("\(event.message)") }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }
    }

    @Test func doesNothingWhenItsPortIsTaken() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path + "/first") { _, port in
                // given a second simulator on the port of the first
                let log = Mutex<[String]>([])
                let logger = Logger(label: "test") { _ in
                    Recorder(messages: { message in log.withLock { $0.append(message) } })
                }
                var configuration = SimulatorConfiguration(keysDirectory: path + "/second")
                configuration.port = port
                let second = try AppStoreSimulator(configuration, logger: logger)

                // when it runs, then it fails at once, has not lived, and only the error says so
                await #expect(throws: IOError.self) {
                    try await ServiceGroup(services: [second], logger: Logger(label: "test")).run()
                }
                #expect(log.withLock { $0.isEmpty })
                #expect(second.truths.ids(first: 1).isEmpty)
                #expect(!FileManager.default.fileExists(atPath: second.directory.file("simulation.json")))
            }
        }
    }

    @Test func describesItselfToClients() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, port in
                let file = URL(fileURLWithPath: simulator.directory.file("store.json"))
                let store = try JSONDecoder().decode(StoreDescription.self, from: Data(contentsOf: file))
                #expect(store.baseURL == "http://127.0.0.1:\(port)")
                #expect(store.bundleId == simulator.configuration.store.bundleID)
                #expect(store.keyId == simulator.directory.keys.keyID)
            }
        }
    }

    @Test func `another process lives by its clock`() async throws {
        try await withTemporaryDirectory { path in
            // given: a clock that runs
            var configuration = SimulatorConfiguration(keysDirectory: path)
            (configuration.subscribers, configuration.speed) = (1, 20_000)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let simulator = try AppStoreSimulator(configuration, logger: logger) { port.yield($0) }
            let group = ServiceGroup(services: [simulator], logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                for await _ in ports { break }
                // when
                let before = simulator.time.now
                let other = try KeysDirectory.clock(in: path)
                let shown = other.now
                let after = simulator.time.now
                // then: a millisecond of the machine's clock is twenty seconds of the other
                #expect((before - .minutes(2)...after + .minutes(2)).contains(shown))
                #expect(other.speed == 20_000)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
        #expect(throws: SimulatorError.self) { try KeysDirectory.clock(in: "/none") }
    }

    @Test func theClockStopsRunningAheadAtThePresent() {
        let start = SimulatedTime.realNow() - .days(1)
        let time = SimulatedTime(start: start, speed: 1e9)
        #expect(time.now >= start)
        #expect(time.now <= SimulatedTime.realNow())
    }

    @Test func theClockMayGoOnFasterAfterThePresent() async throws {
        // given: a day that is over in less than a tenth of a second
        let start = SimulatedTime.realNow() - .days(1)
        let time = SimulatedTime(start: start, speed: 1e6, until: .presentThen(speed: 1_000))
        while time.now < SimulatedTime.realNow() { try await Task.sleep(for: .milliseconds(5)) }
        // when
        let began = ContinuousClock.now
        let first = time.now
        try await Task.sleep(for: .milliseconds(20))
        let last = time.now
        // then
        let passed = began.duration(to: .now)
        #expect(last >= first + .seconds(19))
        #expect(.milliseconds(last.milliseconds - first.milliseconds) <= passed * 1_000 + .seconds(1))
        let wait = time.realDuration(until: last + .days(1_000))
        #expect(wait <= .seconds(86_400))
        #expect(wait > .seconds(43_200))
    }
}
