import CoreMetrics
import EntitlementStream
import EventLog
import Foundation
import Ownership
import PerennialClient
import PerennialTestSupport
import PrometheusMetrics
import Testing
import ZeroMQ

/// What other services import, against a node over real sockets.
@Suite(.timeLimit(.minutes(10))) struct ClientTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    /// Runs a client for as long as `body` takes.
    private func follow(
        _ running: PublishingNode.Running, keys: CurveKeyPair? = nil, _ body: (PerennialClient) async throws -> Void
    ) async throws {
        try await self.node.follow(running.endpoints.stream, keys: keys, body)
    }

    private static let ids = (0..<60).map { "\(2_000_000_000 + $0)" }

    // MARK: Metrics

    @Test func tellsHowItIs() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await self.node.run { running in
                try await running.service.renew(0..<60, period: 1)
                try await self.follow(running) { client in
                    try await client.untilReady()
                    await eventually {
                        registry.value(of: "perennial_client_subscriptions") == 60
                            && registry.value(of: "perennial_client_ready") == 1
                            && (registry.value(of: "perennial_client_staleness_seconds").map { 0 < $0 && $0 < 60 }
                                ?? false)
                    }
                }
            }
        }
    }

    @Test func tellsThatItHearsNothing() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await self.node.run { running in
                try await running.service.renew(0..<60, period: 1)
                // given: a client that the node does not let in, and one that has all by then
                try await self.follow(running, keys: try CurveKeyPair()) { _ in
                    await eventually { registry.value(of: "perennial_client_ready") != nil }
                    let others = PrometheusRegistry()
                    try await withMetricsFactory(others) {
                        try await self.follow(running) { client in
                            await eventually { others.value(of: "perennial_client_ready") == 1 }
                        }
                    }
                    // then: nothing makes it look as if it were fresh
                    #expect(registry.value(of: "perennial_client_ready") == 0)
                    #expect(registry.value(of: "perennial_client_subscriptions") == 0)
                    #expect(registry.value(of: "perennial_client_staleness_seconds") == nil)
                }
            }
        }
    }

    // MARK: Checks

    @Test func answersAsTheNodeDoes() async throws {
        try await self.node.run { running in
            for period in 1...2 { try await running.service.renew(0..<60, period: period) }
            try await self.follow(running) { client in
                // when
                try await client.untilReady()
                // then: as the rows of the store say, at any moment
                #expect(client.count == 60)
                try await self.node.expectStoredAnswers(of: client)
                for id in Self.ids {
                    let answer = try client.check(id)
                    #expect(answer.version == 2 && !answer.isStale)
                }
                // and several at a time as one after the other, bought or not
                let ids = Self.ids + ["4711"]
                let together = client.check(ids)
                #expect(together.count == 61)
                for (id, result) in zip(ids, together) { #expect(try result.get() == client.check(id)) }
                // and what was never bought is not entitled to, which is an answer
                let nothing = try client.check("4711")
                #expect(!nothing.isEntitled && nothing.state == nil && nothing.version == 0 && !nothing.isStale)
            }
        }
    }

    @Test func whatIsNotKnownYetIsNoAnswer() async throws {
        try await self.node.run { running in
            // given: a client that follows nobody yet
            let client = try PerennialClient(self.node.clientConfiguration(of: running.endpoints.stream))
            // when, then: it does not say that a paying customer is none
            let error = #expect(throws: PerennialClientError.self) { try client.isEntitled("2000000001") }
            #expect(error?.code == .notReady)
            #expect(!client.isReady)
        }
    }

    @Test(arguments: ["", "10.0.0.5", ":7100", "10.0.0.5:70000"])
    func whatIsNoAddressIsSaid(address: String) throws {
        let key = Z85.text(of: self.node.stream.keys.publicKey) ?? ""
        let error = #expect(throws: PerennialClientError.self) {
            try PerennialClient(.init(nodes: [.init(address: address, publicKey: key)], secretKey: key))
        }
        #expect(error?.code == .invalidConfiguration)
    }

    // MARK: Changes

    /// Reads changes until it has so many.
    private func read(_ changes: PerennialClient.Changes, count: Int) async -> [PerennialClient.Change] {
        var found: [PerennialClient.Change] = []
        for await event in changes {
            if case .change(let change) = event { found.append(change) }
            if found.count == count { break }
        }
        return found
    }

    private static func versions(_ changes: [PerennialClient.Change]) -> [String: [Int64]] {
        Dictionary(grouping: changes, by: \.subject.originalTransactionID).mapValues { $0.map(\.entitlement.version) }
    }

    private static func each(_ versions: ClosedRange<Int64>) -> [String: [Int64]] {
        Dictionary(uniqueKeysWithValues: Self.ids.map { ($0, Array(versions)) })
    }

    @Test func changesGoOnWhereTheirReaderLeftOff() async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<60, period: 1)
            try await self.follow(running) { client in
                // given: somebody who reads what happens from now on
                let changes = try client.changes()
                await eventually { changes.position != nil }
                for period in 2...3 { try await running.service.renew(0..<60, period: period) }
                let first = await self.read(changes, count: 120)
                #expect(Self.versions(first) == Self.each(2...3))
                #expect(first.allSatisfy { $0.subject.bundleID == "com.example.app" && !$0.subject.isPurchase })
                // when: nobody reads for a while
                let position = try #require(changes.position)
                for period in 4...5 { try await running.service.renew(0..<60, period: period) }
                // then
                let second = await self.read(try client.changes(after: position), count: 120)
                #expect(Self.versions(second) == Self.each(4...5))
            }
        }
    }

    @Test func whoReadsSlowlyMissesNothing() async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<60, period: 1)
            try await self.follow(running) { client in
                let changes = try client.changes()
                await eventually { changes.position != nil }
                // when: more happens than waits for a reader, and some of it is lost on the way
                running.tap.loseOne(of: 5)
                for period in 2...101 { try await running.service.renew(0..<60, period: period) }
                // then
                let all = await self.read(changes, count: 6_000)
                #expect(Self.versions(all) == Self.each(2...101))
            }
        }
    }

    @Test func aPositionOfAnotherStoreIsVoid() async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<60, period: 1)
            try await self.follow(running) { client in
                // given
                let other = PositionToken(
                    store: StoreStamp(storeID: 5, restoreGeneration: 0),
                    positions: [
                        Position(shard: ShardID(rawValue: 1), sequence: LogSequence(rawValue: 9), incarnationTag: 1)
                    ])
                let changes = try client.changes(after: PerennialClient.ChangePosition(rawValue: other.text))
                await eventually { changes.position != nil }
                try await running.service.renew(0..<1, period: 2)
                // when
                var events: [PerennialClient.ChangeEvent] = []
                for await event in changes {
                    events.append(event)
                    if events.count == 2 { break }
                }
                // then
                guard case .rewound = events[0], case .change(let change) = events[1] else {
                    Issue.record("\(events)")
                    return
                }
                #expect(change.entitlement.version == 2)
            }
        }
    }

    @Test func changesEndWithTheirReader() async throws {
        try await self.node.run { running in
            try await self.follow(running) { client in
                let changes = try client.changes()
                await withTaskGroup(of: [PerennialClient.Change].self) { group in
                    group.addTask { await self.read(changes, count: 1) }
                    await eventually { changes.position != nil }
                    // when
                    group.cancelAll()
                    // then
                    for await read in group { #expect(read.isEmpty) }
                }
            }
        }
    }
}
