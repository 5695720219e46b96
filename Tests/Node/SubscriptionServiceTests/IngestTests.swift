import AppStore
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct IngestTests {
    @Test func aNotificationIsRecordedAndAnswered() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "2000000000000001", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            let outcome = try await service.ingest(signedPayload: payload)
            // then
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
            let view = try await service.view("2000000000000001")
            #expect(view.snapshot?.state == .subscribed)
            #expect(view.version == StreamVersion(rawValue: 1))
            #expect(view.code == "5.0")
            let verdict = try await service.check("2000000000000001", entitlement: "pro")
            #expect(verdict?.entitled == true)
            #expect(verdict?.validUntil == view.snapshot?.validUntil)
            let page = try await service.events(
                of: StreamReference(id: "2000000000000001"), after: nil, limit: 10, evidence: true)
            #expect(page.events.map(\.event.kind) == [.subscribed])
            #expect(page.events.first?.evidence == .kept([EvidencePart(name: .signedPayload, jws: payload)]))
        }
    }

    @Test func `forged notifications take no place from genuine ones`() async throws {
        // given a genuine one, after which its header is known
        var node = try Node()
        let pool = VerificationPool(threads: 1)
        node.verification = pool
        let forger = try TestAppStore(seed: 2)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let subscription = life.subscribe()
        let cancellation = life.turnAutoRenew(false)
        let genuine = try [node.apple.sign(subscription), node.apple.sign(cancellation)]
        let forged = try forger.sign(subscription)
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        try await node.run { service in
            _ = try await service.ingest(signedPayload: genuine[0])
            try await withThrowingTaskGroup(of: Bool.self) { group in
                // and all places taken that payloads with unknown headers may have
                for _ in 0...VerificationPool.unknownLimit {
                    group.addTask {
                        do throws(ReadingFailure) {
                            try await pool.run(.unknown) { () async throws(ReadingFailure) in for await _ in opened {} }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                #expect(try await group.next() == false)
                // when
                let failure = await #expect(throws: ServiceError.self) {
                    try await service.ingest(signedPayload: forged)
                }
                let outcome = try await service.ingest(signedPayload: genuine[1])
                // then
                #expect(failure?.code == .retryableVerificationFailure)
                #expect(outcome == .recorded(StreamVersion(rawValue: 2)))
                open.finish()
                try await group.waitForAll()
            }
            // Forged for good, once there is time to look at it.
            let failure = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: forged) }
            #expect(failure?.code == .verificationFailure)
        }
    }

    @Test func theSameDeliveryIsRecordedOnce() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when: a hundred times at once, and once more afterwards
            let outcomes = try await withThrowingTaskGroup(of: IngestOutcome.self) { group in
                for _ in 0..<100 { group.addTask { try await service.ingest(signedPayload: payload) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let later = try await service.ingest(signedPayload: payload)
            // then
            let version = StreamVersion(rawValue: 1)
            #expect(outcomes.filter { $0 == .recorded(version) }.count == 1)
            #expect(outcomes.filter { $0 == .duplicate(version) }.count == 99)
            #expect(later == .duplicate(version))
            #expect(try await service.history(StreamReference(id: "1")).count == 1)
        }
    }

    @Test func theSameUUIDWithOtherContentIsMergedAndAnnounced() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = life.subscribe()
        var second = life.turnAutoRenew(false)
        second.uuid = first.uuid
        second.signed = first.signed + .minutes(5)
        let payloads = try [node.apple.sign(first), node.apple.sign(second)]
        try await node.run { service in
            // when
            _ = try await service.ingest(signedPayload: payloads[0])
            let outcome = try await service.ingest(signedPayload: payloads[1])
            let again = try await service.ingest(signedPayload: payloads[1])
            // then: nothing that Apple signed is lost, and it is there once
            #expect(outcome == .recorded(StreamVersion(rawValue: 2)))
            #expect(again == .duplicate(StreamVersion(rawValue: 2)))
            let kinds = try await service.history(StreamReference(id: "1")).map(\.event.kind)
            #expect(kinds == [.subscribed, .autoRenewDisabled, .anomaly])
            #expect(try await service.view("1").snapshot?.autoRenew == false)
        }
    }

    @Test func theSameUUIDWithOtherContentIsThereOnceHoweverOftenBothCome() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = life.subscribe()
        var second = life.turnAutoRenew(false)
        second.uuid = first.uuid
        second.signed = first.signed + .minutes(5)
        let payloads = try [node.apple.sign(first), node.apple.sign(second)]
        // when both come many times at once, and again after a restart
        let outcomes = try await node.run { service in
            try await withThrowingTaskGroup(of: IngestOutcome.self) { group in
                for place in 0..<60 { group.addTask { try await service.ingest(signedPayload: payloads[place % 2]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let later = try await node.run { service in
            [
                try await service.ingest(signedPayload: payloads[0]),
                try await service.ingest(signedPayload: payloads[1]),
            ]
        }
        // then
        let versions = [StreamVersion(rawValue: 1), StreamVersion(rawValue: 2)]
        for version in versions { #expect(outcomes.filter { $0 == .recorded(version) }.count == 1) }
        #expect(outcomes.filter { versions.map(IngestOutcome.duplicate).contains($0) }.count == 58)
        #expect(later.allSatisfy { versions.map(IngestOutcome.duplicate).contains($0) })
        let count = try await node.run { try await $0.history(StreamReference(id: "1")).count }
        #expect(count == 3)
    }

    @Test func concurrentDeliveriesOfManySubscriptionsKeepTheirOrderGapless() async throws {
        // given: 40 lives, each delivered by tasks of their own, every notification twice
        let node = try Node()
        let stories = (0..<40).map { TestSubscription.story(seed: $0, from: Node.start - .days(300)) }
        node.clock.advance(to: Node.start + .days(400))
        let payloads = try stories.map { try $0.map(node.apple.sign) }
        try await node.run { service in
            // when
            try await withThrowingTaskGroup(of: Void.self) { group in
                for payload in payloads.flatMap({ $0 + $0 }).shuffled() {
                    group.addTask { _ = try await service.ingest(signedPayload: payload) }
                }
                try await group.waitForAll()
            }
            // then
            for story in stories {
                let events = try await service.history(StreamReference(id: story[0].id))
                #expect(events.map(\.version.rawValue) == Array(1...Int64(events.count)))
                let uuids = events.compactMap(\.event.notification?.uuid)
                #expect(Set(uuids) == Set(story.map(\.uuid)))
                #expect(uuids.count == story.count)
                #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
            }
        }
    }

    @Test func forgedAndForeignPayloadsLeaveNoEvent() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        var forged = try node.apple.sign(life.subscribe())
        forged[forged.count - 3] ^= 1
        var early = life.askForConsumption()
        early.signed = Node.start + .minutes(6)
        let future = try node.apple.sign(early)
        try await node.run { [forged] service in
            // when, then
            let refusal = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: forged) }
            #expect(refusal?.code == .verificationFailure)
            #expect(refusal?.retryable == false)
            let skew = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: future) }
            #expect(skew?.code == .clockSkew)
            #expect(skew?.retryAfter != nil)
            let statistics = try await service.statistics()
            #expect(statistics.events == 0)
        }
    }

    @Test func aBackendsTransactionIsRecordedWithItsCustomer() async throws {
        // given
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let posted = try node.apple.transaction(life.subscribe())
        try await node.run { service in
            // when
            func post(_ name: String) async throws -> SubscriptionView {
                let link = LinkRequest(try #require(CustomerID(name)), origin: .post)
                return try await service.record(signedTransaction: posted, signedRenewalInfo: nil, link: link)
            }
            let view = try await post("c1")
            let again = try await post("c1")
            let refusal = await #expect(throws: ServiceError.self) { try await post("c2") }
            // then
            #expect(view.snapshot?.entitled == true)
            #expect(view.snapshot?.customerIDs == ["c1"])
            #expect(again.version == view.version)
            #expect(refusal?.code == .linkedElsewhere)
            let events = try await service.history(StreamReference(id: "1"))
            #expect(events.map(\.event.kind) == [.subscribed, .linked, .linkConflict])
        }
    }

    @Test func recordedTimeNeverGoesBack() async throws {
        // given
        let node = try Node(store: InMemoryEventStore(shardCount: 16))
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        node.clock.advance(to: Node.start + .hours(1))
        try await node.run { _ = try await $0.ingest(signedPayload: payloads[0]) }
        // when: the next process's clock is an hour behind
        var late = node
        late.clock = ManualClock(Node.start)
        // then
        try await late.run { service in
            _ = try await service.ingest(signedPayload: payloads[1])
            let events = try await service.history(StreamReference(id: "1"))
            #expect(events.map(\.at) == [Node.start + .hours(1), Node.start + .hours(1)])
        }
    }
}
