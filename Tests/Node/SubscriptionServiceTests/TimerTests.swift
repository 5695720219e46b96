import EventLog
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimerTests {
    private let stream = StreamReference(id: "1")

    private func leaving() -> (told: [TestNotification], end: Moment) {
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        return ([life.subscribe(), life.turnAutoRenew(false)], life.end)
    }

    @Test func aTransitionIsRecordedWhenItIsDue() async throws {
        // given
        let node = try Node()
        let (told, end) = self.leaving()
        let payloads = try told.map(node.apple.sign)
        try await node.run { [stream] service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            // when
            node.clock.advance(to: end)
            await eventually { (try? await service.history(stream).count) == 3 }
            // then
            let event = try #require(try await service.history(stream).last)
            #expect(event.event.kind == .expired)
            #expect(event.event.source == .timer)
            #expect(event.event.effectiveAt == end)
            #expect(try await service.view("1").snapshot?.state == .expired)
            #expect(try await service.check("1")?.entitled == false)
        }
    }

    @Test func nobodyIsEntitledPastTheEndEvenBeforeTheTimer() async throws {
        // given: timers hold, because the clock has jumped
        let node = try Node()
        let (told, end) = self.leaving()
        let payloads = try told.map(node.apple.sign)
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            #expect(try await service.check("1")?.validUntil == end)
            node.clock.offset = .minutes(-10)
            // when
            node.clock.advance(to: end)
            // then
            #expect(try await service.check("1")?.entitled == false)
            #expect(try await service.view("1").snapshot?.entitled == false)
        }
    }

    @Test func timersHoldWhileTheClockIsWrongAndGoOnWhenItIsBack() async throws {
        // given
        let node = try Node()
        let (told, end) = self.leaving()
        let payloads = try told.map(node.apple.sign)
        try await node.run { [stream] service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            // when
            node.clock.offset = .seconds(6)
            node.clock.advance(to: end)
            await eventually { (try? await service.statistics().timersOverdue) == 1 }
            // then
            #expect(try await service.history(stream).count == 2)
            // and when
            node.clock.offset = .seconds(5)
            node.clock.advance(to: end + .minutes(1))
            // a timer that holds looks at the clock again after a second
            await eventually { (try? await service.history(stream).count) == 3 }
            // then
            let event = try #require(try await service.history(stream).last)
            #expect(event.event.effectiveAt == end)
            #expect(event.at >= end + .minutes(1))
            await eventually { (try? await service.statistics().timersOverdue) == 0 }
        }
    }

    @Test func whatFellDueWhileTheNodeWasDownIsCaughtUpOnce() async throws {
        // given
        let node = try Node()
        let (told, end) = self.leaving()
        let payloads = try told.map(node.apple.sign)
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
        }
        node.clock.advance(to: end + .days(3))
        // when, then: started twice, recorded once
        for _ in 0..<2 {
            try await node.run { [stream] service in
                await eventually { (try? await service.history(stream).count) == 3 }
                await eventually { (try? await service.statistics().timersOverdue) == 0 }
            }
        }
        try await node.run { [stream] service in
            let events = try await service.history(stream)
            #expect(events.map(\.event.source) == [.notification, .notification, .timer])
            #expect(events.last?.event.effectiveAt == end)
        }
    }

    @Test func anEarlierDueMomentWakesTheTimer() async throws {
        // given: a subscription that runs for a month
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = try node.apple.sign(life.subscribe())
        var grace = TestSubscription(id: "1", from: Node.start - .days(60))
        _ = grace.subscribe()
        try await node.run { [stream] service in
            _ = try await service.ingest(signedPayload: first)
            // when: another one in the same shard ends sooner
            var soon = TestSubscription(id: "1", from: Node.start - .days(29), bundle: TestAppStore.bundles[1])
            for told in [soon.subscribe(), soon.turnAutoRenew(false)] {
                _ = try await service.ingest(signedPayload: try node.apple.sign(told))
            }
            node.clock.advance(to: soon.end)
            // then
            let other = StreamReference(id: "1", bundleID: TestAppStore.bundles[1])
            await eventually { (try? await service.history(other).last?.event.kind) == .expired }
            #expect(
                try await service.history(
                    StreamReference(id: stream.id, bundleID: TestAppStore.bundles[0])
                ).count == 1)
        }
    }
}
