import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import NIOCore
import PerennialTestSupport
import ServiceLifecycle
import Subscriptions
import Testing

/// The change stream as server-sent events.
@Suite(.timeLimit(.minutes(10))) struct EventStreamTests {
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func buy(_ ids: Range<Int>, at node: Node, renewal: Bool = false) async throws {
        try await HTTPConnection.with(port: node.port) { connection in
            for id in ids {
                let body = try self.purchase("\(id)", renewal: renewal)
                #expect(try await connection.send("POST", "/v1/transactions", body: body).status == 200)
            }
        }
    }

    private func buy(_ id: String, at node: Node, renewal: Bool = false) async throws {
        let body = try self.purchase(id, renewal: renewal)
        #expect(try await node.send("POST", "/v1/transactions", body: body).status == 200)
    }

    private func purchase(_ id: String, renewal: Bool) throws -> String {
        var body = ["signedTransaction": try self.store.transaction(id: id)]
        if renewal { body["signedRenewalInfo"] = try self.store.renewal(id: id) }
        return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    }

    /// Where a listener stands who has been told all that there is.
    private func placeBehindAll(at node: Node) async throws -> String {
        try await HTTPConnection.with(port: node.port) { connection in
            var source = try await EventSource(connection)
            while let event = try await source.next() {
                if event.name == "caughtup" { return try #require(event.lastID) }
            }
            throw HTTPConnection.Closed()
        }
    }

    @Test func itBeginsWithWhatStandsAndGoesOnWithWhatChanges() async throws {
        try await Node.run { node in
            // given three subscriptions
            for id in 1...3 { try await self.buy("\(id)", at: node) }
            try await HTTPConnection.with(port: node.port) { connection in
                // when a listener comes
                var source = try await EventSource(connection)

                // then it is told of each, and that these are all
                var standing: Set<String> = []
                for _ in 0..<3 {
                    let event = try #require(try await source.next())
                    #expect(event.name == "snapshot")
                    #expect(event.version == 1)
                    #expect(event.state("current") == "subscribed")
                    standing.insert(try #require(event.id))
                }
                #expect(standing == ["1", "2", "3"])
                let end = try #require(try await source.next())
                #expect(end.name == "caughtup")
                #expect(end.lastID != nil)

                // and then of what happens, with what was before
                try await self.buy("4", at: node)
                let bought = try #require(try await source.next())
                #expect(bought.name == "delta")
                #expect(bought.id == "4")
                #expect(bought.data["type"] as? String == "subscription.subscribed")
                #expect(bought.data["previous"] is NSNull)
                #expect(bought.state("current") == "subscribed")
                try await self.buy("2", at: node, renewal: true)
                let renewed = try #require(try await source.next())
                #expect(renewed.id == "2")
                #expect(renewed.version == 2)
                #expect(renewed.state("previous") == "subscribed")
                #expect(renewed.state("current") == "subscribed")
            }
        }
    }

    @Test func aListenerWhoComesBackMissesNothing() async throws {
        try await Node.run { node in
            // given a listener who heard of two purchases, and left
            for id in 1...2 { try await self.buy("\(id)", at: node) }
            let place = try await self.placeBehindAll(at: node)

            // when more happened, and he comes back
            try await self.buy(3..<701, at: node)
            try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection, after: place)
                var heard: [String] = []
                while let event = try await source.next(), event.name != "caughtup" {
                    #expect(event.name == "delta")
                    heard.append(try #require(event.id))
                }

                // then he hears of that, once, and of nothing else
                #expect(heard.count == 698)
                #expect(Set(heard) == Set((3...700).map(String.init)))
            }
        }
    }

    @Test func aListenerWhoLeavesAfterARoundMissesNothing() async throws {
        try await Node.run { node in
            // given: more than a round can hold, of which a listener hears one round, and leaves
            let start = try await self.placeBehindAll(at: node)
            try await self.buy(1..<201, at: node)
            try await self.buy(1..<201, at: node, renewal: true)
            var heard: [String: [Int]] = [:]
            func take(_ event: EventSource.Event) throws {
                #expect(event.name == "delta")
                heard[try #require(event.id), default: []].append(try #require(event.version))
            }
            let place = try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection, after: start)
                while let event = try await source.next() {
                    try take(event)
                    if let place = event.lastID, place != start { return place }
                }
                throw HTTPConnection.Closed()
            }
            let count = heard.values.reduce(0) { $0 + $1.count }
            #expect((1..<400).contains(count))

            // when he comes back
            try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection, after: place)
                while let event = try await source.next(), event.name != "caughtup" { try take(event) }
            }

            // then he has heard each version of each subscription once, and in its order
            #expect(heard == Dictionary(uniqueKeysWithValues: (1...200).map { ("\($0)", [1, 2]) }))
        }
    }

    @Test func aListenerIsToldWhenTheLogIsAnother() async throws {
        // given: a node that answers for what another one has written
        let (lost, found) = (InMemoryEventStore(), InMemoryEventStore())
        let store = ReplaceableStore(lost)
        try await Node.run(store: lost) { try await self.buy("1", at: $0) }
        // Of a shard that is not the subscription's.
        try await Node.run(store: store, shards: [ShardID(rawValue: 0)]) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                // and a listener who follows it
                var source = try await EventSource(connection)
                #expect(try await source.next()?.name == "snapshot")
                #expect(try await source.next()?.name == "caughtup")

                // when the store comes back without that, and goes on
                try await Node.run(store: found) { other in
                    try await self.buy("1", at: other)
                    try await self.buy("1", at: other, renewal: true)
                }
                store.replace(by: found)

                // then he hears that it is another log, nothing of it, and no more
                let end = try #require(try await source.next())
                #expect(end.name == "error")
                #expect(end.data["code"] as? String == "storeRewound")
                #expect((end.data["detail"] as? String)?.isEmpty == false)
                #expect(try await source.next() == nil)
            }
        }
    }

    @Test(arguments: ["nonsense", "AAAA", String(repeating: "A", count: 5_000)])
    func aPlaceThatIsNoneIsRefused(_ place: String) async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                let refusal = try await #require(throws: EventSource.Refused.self) {
                    _ = try await EventSource(connection, after: place)
                }
                #expect(refusal.answer.status == 400)
            }
        }
    }

    @Test func aPlaceOfAnotherLogIsRefused() async throws {
        let place = try await Node.run { node in
            try await self.buy("1", at: node)
            return try await node.send("GET", "/v1/events").json["next"] as? String
        }
        #expect(place != nil)
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                let refusal = try await #require(throws: EventSource.Refused.self) {
                    _ = try await EventSource(connection, after: place)
                }
                #expect(refusal.answer.status == 409)
                #expect(refusal.answer.code == "storeRewound")
            }
        }
    }

    @Test(arguments: [Duration.milliseconds(200), .seconds(3_600)])
    func aStreamWithoutNewsStaysOpen(heartbeat: Duration) async throws {
        // given a server that cuts off whoever takes nothing for a second
        var configuration = Configuration.with { $0.answerTimeout = .seconds(1) }
        configuration.limits.heartbeat = heartbeat
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection)
                #expect(try await source.next()?.name == "caughtup")

                // when nothing happens for longer than that
                let end = ContinuousClock.now + .seconds(4)
                while heartbeat < .seconds(1), ContinuousClock.now < end {
                    #expect(try await source.piece() == ":\n\n")
                }
                try await Task.sleep(until: end)

                // then the listener still hears what happens
                try await self.buy("1", at: node)
                #expect(try await source.next()?.id == "1")
            }
        }
    }

    /// Whether there is no place for one more listener.
    private func isRefused(at node: Node) async throws -> Bool {
        try await HTTPConnection.with(port: node.port) { connection in
            do {
                _ = try await EventSource(connection)
                return false
            } catch let refusal as EventSource.Refused where refusal.answer.status == 503 {
                return true
            }
        }
    }

    @Test func thereAreOnlySoMany() async throws {
        let configuration = Configuration.with {
            $0.streams = 1
            // Nothing is written that could fail: a listener that has gone is noticed all the same.
            $0.heartbeat = .seconds(86_400)
        }
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { first in
                var source = try await EventSource(first)
                #expect(try await source.next()?.name == "caughtup")
                try await HTTPConnection.with(port: node.port) { second in
                    let refusal = try await #require(throws: EventSource.Refused.self) {
                        _ = try await EventSource(second)
                    }
                    #expect(refusal.answer.status == 503)
                    #expect(refusal.answer.code == "tooBusy")
                }
            }
            // and a place that was left can be taken
            while try await self.isRefused(at: node) {}
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: HTTPConnection.Ending.allCases, [false, true])
    func `a reader that goes away frees its place, also where nothing is written`(
        _ ending: HTTPConnection.Ending, asksAgain: Bool
    ) async throws {
        // given: one place, and no heartbeat whose failure would show that the reader is gone
        let configuration = Configuration.with {
            $0.streams = 1
            $0.heartbeat = .seconds(3_600)
        }
        try await Node.run(configuration: configuration) { node in
            try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection)
                #expect(try await source.next()?.name == "caughtup")

                // when
                if asksAgain { try await connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                try await connection.end(ending)

                // then
                while try await self.isRefused(at: node) {}
                if ending == .halfClose { try await connection.waitForEnd() }
            }
        }
    }

    @Test func itEndsWhenTheNodeStops() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { connection in
                var source = try await EventSource(connection)
                #expect(try await source.next()?.name == "caughtup")

                await node.group.triggerGracefulShutdown()

                while try await source.next() != nil {}
            }
        }
    }
}
