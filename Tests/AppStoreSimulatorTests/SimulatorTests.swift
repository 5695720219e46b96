import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Subscriptions
import Testing

/// The simulator alone, without anybody to deliver to.
@Suite(.timeLimit(.minutes(1))) struct SimulatorTests {
    /// Runs a simulator that has caught up with the present for as long as `body` takes.
    private func withSimulator(
        _ path: String, _ body: (AppStoreSimulator, _ port: Int) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        var configuration = SimulatorConfiguration(keysDirectory: path)
        configuration.subscribers = 10
        configuration.speed = 1e9
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let simulator = try AppStoreSimulator(configuration, logger: logger) { port.yield($0) }
        let group = ServiceGroup(services: [simulator], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var running = ports.makeAsyncIterator()
            let port = try #require(await running.next())
            while simulator.truths.ids(first: 8).count < 8 { try await Task.sleep(for: .milliseconds(5)) }
            try await body(simulator, port)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private func get(_ url: String) async throws -> (status: Int, body: [String: Any]) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 20)
        let object = try JSONSerialization.jsonObject(with: Data(body.readableBytesView))
        return (Int(response.status.code), object as? [String: Any] ?? [:])
    }

    @Test func namedCustomersLiveTheirStories() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, _ in
                let states = NamedCustomer.all.map { named in
                    simulator.truths.truth(of: named.originalTransactionID)?.standing(at: simulator.time.now)?.state
                }
                #expect(NamedCustomer.all.map(\.name) == ["Anna", "Ben", "Clara", "David"])
                #expect(states.prefix(3) == [.subscribed, .grace, .revoked])
            }
        }
    }

    @Test func tellsTheTruthOverHTTP() async throws {
        try await withTemporaryDirectory { path in
            try await self.withSimulator(path) { simulator, port in
                // given a customer who is in grace now, and was subscribed before
                let id = NamedCustomer.all[1].originalTransactionID
                let now = try await self.get("http://127.0.0.1:\(port)/truth/\(id)")
                #expect(now.status == 200)
                #expect(now.body["state"] as? String == "grace")
                #expect(now.body["status"] as? Int == 4)
                #expect(now.body["entitled"] as? Bool == true)

                let before = (simulator.time.now - .days(60)).description
                let past = try await self.get("http://127.0.0.1:\(port)/truth/\(id)?at=\(before)")
                #expect(past.body["state"] as? String == "subscribed")
                #expect(past.body["at"] as? String == before)

                #expect(try await self.get("http://127.0.0.1:\(port)/truth/1").status == 404)
                #expect(try await self.get("http://127.0.0.1:\(port)/truth/\(id)?at=yesterday").status == 400)
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

    @Test func theClockStopsRunningAheadAtThePresent() {
        let start = SimulatedTime.realNow() - .days(1)
        let time = SimulatedTime(start: start, speed: 1e9)
        #expect(time.now >= start)
        #expect(time.now <= SimulatedTime.realNow())
    }
}
