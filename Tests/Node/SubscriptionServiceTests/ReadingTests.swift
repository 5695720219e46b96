import Dispatch
import Entitlements
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReadingTests {
    @Test func answersThePastByWhatWasTrueAndByWhatWasKnown() async throws {
        // given: a refund that is heard of two days late
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start)
        let subscribed = try node.apple.sign(life.subscribe())
        life.wait(.days(5))
        let refunded = try node.apple.sign(life.refund())
        let heard = Node.start + .days(7)
        try await node.run { service in
            node.clock.advance(to: Node.start + .hours(1))
            _ = try await service.ingest(signedPayload: subscribed)
            node.clock.advance(to: heard)
            _ = try await service.ingest(signedPayload: refunded)
            node.clock.advance(to: heard + .days(1))
            // when, then
            let moment = Node.start + .days(6)
            #expect(try await service.view("1", at: moment).snapshot?.state == .revoked)
            #expect(try await service.view("1", at: moment, knownAt: moment).snapshot?.state == .subscribed)
            #expect(try await service.view("1", knownAt: moment).version.rawValue == 1)
            #expect(try await service.view("1", knownAt: heard).snapshot?.state == .revoked)
            #expect(try await service.view("1", at: Node.start - .days(1)).snapshot == nil)
            #expect(try await service.view("1", knownAt: Node.start).snapshot == nil)
            let now = try await service.view("1")
            #expect(try await service.view("1", at: node.clock.now).snapshot == now.snapshot)
            for (at, knownAt) in [(heard + .days(2), nil), (nil, heard + .days(2))] as [(Moment?, Moment?)] {
                let error = await #expect(throws: ServiceError.self) {
                    try await service.view("1", at: at, knownAt: knownAt)
                }
                #expect(error?.code == .futureMoment)
            }
        }
    }

    @Test func aCommitIsNotShownBeforeItsOwnerHasHeardOfIt() async throws {
        // given: one that has happened, and is not answered yet
        let block = DispatchSemaphore(value: 0)
        let waits: ScriptedStore.Append = { batches, store in
            let outcomes = ScriptedStore.commit(batches, to: store)
            block.wait()
            return outcomes
        }
        let node = try Node(store: ScriptedStore(InMemoryEventStore(shardCount: 16), [waits]))
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            async let outcome = service.ingest(signedPayload: payload)
            try await eventually { try await service.statistics().streams == 1 }
            // when: the next answer, from memory, would not show it
            let error = await #expect(throws: ServiceError.self) { try await service.view("1") }
            // then
            #expect(error?.code == .frozen)
            block.signal()
            _ = try await outcome
            #expect(try await service.view("1").version.rawValue == 1)
        }
    }

    @Test func anIDOfTwoAppsHasToNameItsBundle() async throws {
        // given
        let node = try Node()
        let payloads = try TestAppStore.bundles.map { bundle in
            var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: bundle)
            return try node.apple.sign(life.subscribe())
        }
        try await node.run { service in
            // when there is one
            _ = try await service.ingest(signedPayload: payloads[0])
            #expect(try await service.check("1")?.entitled == true)
            #expect(try await service.view("1").key.bundleID == TestAppStore.bundles[0])
            // and when there are two
            _ = try await service.ingest(signedPayload: payloads[1])
            // then
            let error = await #expect(throws: ServiceError.self) { try await service.view("1") }
            #expect(error?.code == .ambiguous)
            let plain = CheckRequest(stream: StreamReference(id: "1"))
            let named = CheckRequest(stream: StreamReference(id: "1", bundleID: TestAppStore.bundles[1]))
            let response = try await service.check([plain, named], consistency: .local, atLeast: nil)
            #expect(response.results.first == .refused(.ambiguous))
            guard case .verdict(let verdict) = response.results.last else { return #expect(Bool(false)) }
            #expect(verdict.entitled)
            let reference = StreamReference(id: "1", bundleID: TestAppStore.bundles[1])
            #expect(
                try await service.subscription(SubscriptionQuery(stream: reference)).key.bundleID
                    == TestAppStore.bundles[1])
        }
    }

    @Test func whatIsNotKnownIsSaidToBeUnknown() async throws {
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // given: asked before there is anything
            #expect(try await service.check("1")?.reason == .unknownSubscription)
            _ = try await service.ingest(signedPayload: payload)
            // when, then: what was unknown is known once it is recorded
            #expect(try await service.check("1")?.entitled == true)
            let sandbox = StreamReference(id: "1", environment: .sandbox)
            let response = try await service.check([CheckRequest(stream: sandbox)], consistency: .local, atLeast: nil)
            guard case .verdict(let verdict) = response.results[0] else { return #expect(Bool(false)) }
            #expect(verdict.reason == .unknownSubscription)
            let purchase = await #expect(throws: ServiceError.self) {
                try await service.subscription(
                    SubscriptionQuery(stream: StreamReference(kind: .purchase, id: "1")))
            }
            #expect(purchase?.code == .unknownPurchase)
            for id in ["1", "2"] {
                let gold = CheckRequest(stream: StreamReference(id: id), entitlement: "gold")
                let answer = try await service.check([gold], consistency: .local, atLeast: nil)
                #expect(answer.results == [.refused(.unknownEntitlement)])
            }
            let unlock = CheckRequest(stream: StreamReference(kind: .purchase, id: "1"))
            let answer = try await service.check([unlock], consistency: .local, atLeast: nil)
            guard case .verdict(let verdict) = answer.results[0] else { return #expect(Bool(false)) }
            #expect(verdict.reason == .unknownPurchase)
        }
    }

    @Test func theCatalogDecidesWhetherAProductGrants() async throws {
        var node = try Node()
        node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["another"])])
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            let verdict = try await service.check("1", entitlement: "pro")
            #expect(verdict?.entitled == false)
            #expect(verdict?.reason == .otherProduct)
            #expect(verdict?.validUntil == nil)
            #expect(verdict?.state == .subscribed)
        }
    }

    @Test func tokensAndCursorsOfAnotherOrAShorterLogAreNoticed() async throws {
        // given: the same subscription in two stores, one event further in the first
        let node = try Node()
        let other = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        let (token, cursor) = try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            let view = try await service.view("1")
            let page = try await service.changes(after: nil, limit: 10)
            // its own token is met
            let stream = StreamReference(id: "1")
            let same = try await service.subscription(SubscriptionQuery(stream: stream, atLeast: view.token))
            #expect(same.version.rawValue == 2)
            _ = try await service.check([CheckRequest(stream: stream)], consistency: .durable, atLeast: view.token)
            return (view.token, page.next)
        }
        // when, then
        try await other.run { service in
            let stream = StreamReference(id: "1")
            for text in [token, cursor] {
                let error = await #expect(throws: ServiceError.self) {
                    try await service.subscription(SubscriptionQuery(stream: stream, atLeast: text))
                }
                #expect(error?.code == .storeRewound)
            }
            let changes = await #expect(throws: ServiceError.self) {
                try await service.changes(after: cursor, limit: 1)
            }
            #expect(changes?.code == .storeRewound)
            let nonsense = await #expect(throws: ServiceError.self) {
                try await service.changes(after: "nonsense", limit: 1)
            }
            #expect(nonsense?.code == .invalidCursor)
        }
    }

    @Test func theChangeStreamGivesEveryEventOnceAndInOrder() async throws {
        // given
        let node = try Node()
        let stories = (0..<30).map { TestSubscription.story(seed: $0, from: Node.start - .days(400)) }
        node.clock.advance(to: Node.start + .days(400))
        let payloads = try stories.flatMap { try $0.map(node.apple.sign) }
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            let total = try await service.statistics().events
            // when
            var seen: [EventView] = []
            var cursor: String?
            while true {
                let page = try await service.changes(after: cursor, limit: 7)
                cursor = page.next
                if page.events.isEmpty { break }
                #expect(page.events.count <= 7)
                seen += page.events
            }
            // then
            #expect(seen.count == total)
            for (_, events) in Dictionary(grouping: seen, by: \.shard) {
                #expect(events.map(\.sequence.rawValue) == Array(1...Int64(events.count)))
            }
            // and goes on from there
            var life = TestSubscription(id: "4711", from: node.clock.now)
            _ = try await service.ingest(signedPayload: try node.apple.sign(life.subscribe()))
            let next = try await service.changes(after: cursor, limit: 10)
            #expect(next.events.map(\.key.id) == ["4711"])
        }
    }

    @Test func aPageOfEventsGoesOnWhereItEnded() async throws {
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payloads = try (0..<5).map { _ in
            life.wait(.minutes(1))
            return try node.apple.sign(life.askForConsumption())
        }
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            let stream = StreamReference(id: "1")
            let first = try await service.events(of: stream, after: nil, limit: 3, evidence: false)
            #expect(first.events.map(\.version.rawValue) == [1, 2, 3])
            let second = try await service.events(of: stream, after: first.next, limit: 3, evidence: false)
            #expect(second.events.map(\.version.rawValue) == [4, 5])
            #expect(second.next == nil)
            for limit in [0, -1, 1_001] {
                let error = await #expect(throws: ServiceError.self) {
                    try await service.events(of: stream, after: nil, limit: limit, evidence: false)
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }

    @Test func recordsBesideSubscriptionsAreListed() async throws {
        // given
        let node = try Node()
        let tests = try (0..<5).map { number in
            try node.apple.sign(
                TestNotification(
                    type: "TEST", uuid: "0000000\(number)-0000-4000-8000-000000000001", signed: Node.start,
                    bundle: TestAppStore.bundles[number % 2]))
        }
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let subscribed = try node.apple.sign(life.subscribe())
        try await node.run { service in
            for payload in tests + [subscribed] { _ = try await service.ingest(signedPayload: payload) }
            // when
            var seen: [EventView] = []
            var cursor: String?
            repeat {
                let page = try await service.records(kind: nil, after: cursor, limit: 2)
                seen += page.events
                cursor = page.next
            } while cursor != nil
            // then
            #expect(seen.map(\.event.kind) == Array(repeating: .testReceived, count: 5))
            #expect(Set(seen.compactMap(\.event.notification?.uuid)).count == 5)
            #expect(try await service.records(kind: .massExtension, after: nil, limit: 10).events.isEmpty)
            let error = await #expect(throws: ServiceError.self) {
                try await service.records(kind: .subscription, after: nil, limit: 10)
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func explainsWhyByRules() async throws {
        let node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            let explanation = try await service.explain(SubscriptionQuery(stream: StreamReference(id: "1")))
            #expect(explanation.view.snapshot?.state == .subscribed)
            #expect(!explanation.steps.isEmpty)
        }
    }
}
