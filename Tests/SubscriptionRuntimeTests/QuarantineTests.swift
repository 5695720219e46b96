import EventSourcing
import SubscriptionRuntime
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct QuarantineTests {
    @Test func whatIsNotForUsIsKeptAndReplayedWhenItFits() async throws {
        // given: a node that serves one of two apps
        var node = try Node()
        node.bundles = [TestAppStore.bundles[0]]
        let payloads = try TestAppStore.bundles.map { bundle in
            var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: bundle)
            return try node.apple.sign(life.subscribe())
        }
        try await node.run { service in
            // when
            _ = try await service.ingest(signedPayload: payloads[0])
            let outcome = try await service.ingest(signedPayload: payloads[1])
            let again = try await service.ingest(signedPayload: payloads[1])
            // then: kept once, and nothing recorded
            #expect(outcome == .quarantined(reason: "unknownApp"))
            #expect(again == outcome)
            let rows = try await service.quarantined(after: 0, limit: 10)
            #expect(rows.map(\.reason) == ["unknownApp"])
            #expect(rows.map(\.raw) == [payloads[1]])
            #expect(try await service.statistics().streams == 1)
            let replay = try await service.replayQuarantine()
            #expect(replay == QuarantineReplay(applied: 0, kept: 1, failed: 0))
        }
        // and when the other app is configured
        node.bundles = TestAppStore.bundles
        try await node.run { service in
            let replay = try await service.replayQuarantine()
            // then
            #expect(replay == QuarantineReplay(applied: 1, kept: 0, failed: 0))
            #expect(try await service.quarantined(after: 0, limit: 10).isEmpty)
            let stream = StreamReference(id: "1", bundleID: TestAppStore.bundles[1])
            #expect(try await service.history(stream).count == 1)
            #expect(try await service.ingest(signedPayload: payloads[1]) == .duplicate(StreamVersion(rawValue: 1)))
        }
    }

    @Test func aFullQuarantineIsTroubleOfOurOwn() async throws {
        // given
        var node = try Node(store: InMemoryEventStore(shardCount: 16, quarantineLimit: 0))
        node.bundles = [TestAppStore.bundles[0]]
        var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: TestAppStore.bundles[1])
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when, then
            let error = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: payload) }
            #expect(error?.code == .storeFull)
            #expect(error?.retryable == true)
        }
    }
}
