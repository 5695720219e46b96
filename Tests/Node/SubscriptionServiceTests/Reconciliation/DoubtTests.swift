import AppStore
import EventLog
import PerennialTestSupport
import Reconciliation
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What is doubtful is asked about, and nothing but Apple's word or the end of the paid time ends access.
@Suite(.timeLimit(.minutes(10))) struct DoubtTests {
    private let stream = StreamReference(id: "1")

    /// A node that is started asks Apple of its own accord, and learns of a renewal.
    private func finds(
        _ renewal: TestNotification, until end: Moment, from apple: ScriptedApple, _ node: Node
    ) async throws {
        apple.answers { [store = node.apple] request in
            guard request.path.contains("/subscriptions/") else {
                return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            }
            return (try? store.statuses(renewal)) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            await eventually {
                node.clock.advance(to: node.clock.now + .seconds(1))
                return (try? await service.view("1").snapshot?.expiresDate) == end
            }
            let view = try await service.view("1")
            #expect(view.snapshot?.entitled == true)
        }
    }

    @Test func aRenewalThatWasNeverToldIsFoundWithinSecondsOfTheEnd() async throws {
        // given
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var renewed = life
        let renewal = renewed.renew()
        let newEnd = renewed.end
        apple.answers { [store = node.apple] request in
            guard request.path.contains("/subscriptions/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            return (try? store.statuses(renewal)) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            _ = try await service.ingest(signedPayload: first)
            // when
            try await node.pass(the: life.end, service)
            await eventually { (try? await service.view("1").snapshot?.expiresDate) == newEnd }
            // then
            let view = try await service.view("1")
            #expect(view.snapshot?.state == .subscribed)
            #expect(view.snapshot?.awaitingRenewal == false)
            #expect(try await service.history(self.stream).last?.event.source == .statuses)
            await eventually { (try? service.reconciliationReport().repaired) == 1 }
            let report = try service.reconciliationReport()
            #expect(report.kinds == [.missedRenewal: 1])
            #expect(report.reasons == [.awaitingRenewal: 1])
            #expect(report.examples.first?.key.id == "1")
            #expect(apple.requests(to: "/subscriptions/1").count == 1)
            // and asked no more
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
        }
    }

    @Test func whoLeftByChoiceIsNotAskedAbout() async throws {
        // given
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var leaving = life
        let off = try node.apple.sign(leaving.turnAutoRenew(false))
        let expired = leaving.expire()
        try await node.run { service in
            for payload in [first, off] { _ = try await service.ingest(signedPayload: payload) }
            // when: access ends by time, which is asked about once; Apple agrees
            apple.answers { [store = node.apple] request in
                guard request.path.contains("/subscriptions/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
                return (try? store.statuses(expired)) ?? ScriptedApple.notFound
            }
            node.clock.advance(to: life.end)
            await eventually {
                node.clock.advance(to: node.clock.now + .seconds(1))
                return apple.requests(to: "/subscriptions/1").count == 1
            }
            #expect(try await service.view("1").snapshot?.state == .expired)
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
            // then: never again
            node.clock.advance(to: life.end + .days(3))
            try await Task.sleep(for: .milliseconds(100))
            #expect(apple.requests(to: "/subscriptions/1").count == 1)
        }
    }

    @Test func anEndOfWhichAppleTellsSoonIsNotAskedAbout() async throws {
        // given
        let apple = ScriptedApple { _ in ScriptedApple.json(#"{"hasMore":false}"#) }
        let (node, life, first) = try Node.awaiting(apple)
        var leaving = life
        let off = try node.apple.sign(leaving.turnAutoRenew(false))
        let expired = try node.apple.sign(leaving.expire())
        try await node.run { service in
            for payload in [first, off] { _ = try await service.ingest(signedPayload: payload) }
            // when
            node.clock.advance(to: life.end)
            await eventually { (try? service.reconciliationReport().awaiting) == 1 }
            _ = try await service.ingest(signedPayload: expired)
            node.clock.advance(to: life.end + .seconds(20))
            // then
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
            #expect(apple.requests(to: "/subscriptions/1").isEmpty)
        }
    }

    @Test func anAnomalyThatEndsADoubtIsAskedAbout() async throws {
        // given: a renewal is waited for
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var renewed = life
        var strange = renewed.renew()
        strange.period?.status = 2
        let payload = try node.apple.sign(strange)
        renewed.wait(.seconds(1))
        let answer = renewed.turnAutoRenew(true)
        apple.answers { [store = node.apple] request in
            guard request.path.contains("/subscriptions/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            return (try? store.statuses(answer)) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            _ = try await service.ingest(signedPayload: first)
            node.clock.advance(to: life.end)
            await eventually { (try? service.reconciliationReport().awaiting) == 1 }
            // when: it comes, and Apple calls expired what it has just been paid for
            _ = try await service.ingest(signedPayload: payload)
            let kinds = try await service.history(self.stream).map(\.event.kind)
            #expect(kinds.contains(.anomaly))
            // then
            await eventually {
                node.clock.advance(to: node.clock.now + .seconds(1))
                return (try? await service.view("1").snapshot?.state) == .subscribed
            }
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
            #expect(apple.requests(to: "/subscriptions/1").count == 1)
        }
    }

    @Test(arguments: [1, 2])
    func anAnomalyMakesOneQuestion(answered: Int) async throws {
        // given: Apple calls expired what is paid for, and says so again when asked, or not
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var contradicted = life
        contradicted.wait(.minutes(1))
        var strange = contradicted.turnAutoRenew(true)
        strange.period?.status = 2
        contradicted.wait(.minutes(1))
        let answer = contradicted.turnAutoRenew(true)
        var other = TestSubscription(id: "2", from: Node.start - .days(1))
        let payloads = [try node.apple.sign(other.subscribe()), first, try node.apple.sign(strange)]
        apple.answers { [store = node.apple] request in
            guard request.path.contains("/subscriptions/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            return (try? store.statuses(answer, status: answered)) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            // when
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            // then
            let kinds = try await service.history(self.stream).map(\.event.kind)
            #expect(kinds.contains(.anomaly))
            await eventually { (try? service.reconciliationReport().awaiting) == 1 }
            node.clock.advance(to: Node.start + .seconds(1))
            await eventually { apple.requests(to: "/subscriptions/").count == 1 }
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
            // and no more, about no other
            node.clock.advance(to: Node.start + .days(1))
            try await Task.sleep(for: .milliseconds(100))
            #expect(apple.requests(to: "/subscriptions/").map(\.path) == ["/inApps/v1/subscriptions/1"])
        }
    }

    @Test func aGraceThatTimeHasEndedOnBothSidesIsNoDrift() async throws {
        // given
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var failing = life
        let graced = try node.apple.sign(failing.failToRenew(grace: .days(16)))
        let graceEnd = failing.end + .days(16)
        // Apple's renewal info names no grace once it is over.
        failing.wait(.days(16))
        let retrying = failing.failToRenew(grace: nil)
        apple.answers { [store = node.apple] request in
            guard request.path.contains("/subscriptions/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            return (try? store.statuses(retrying)) ?? ScriptedApple.notFound
        }
        node.clock.advance(to: life.end)
        try await node.run { service in
            for payload in [first, graced] { _ = try await service.ingest(signedPayload: payload) }
            #expect(try await service.view("1").snapshot?.state == .grace)
            // when
            node.clock.advance(to: graceEnd)
            await eventually {
                node.clock.advance(to: node.clock.now + .seconds(1))
                return (try? service.reconciliationReport().checked) == 1
            }
            // then: Apple's word is recorded, and differs in nothing
            #expect(try await service.history(self.stream).last?.event.source == .statuses)
            #expect(try await service.view("1").snapshot?.state == .retry)
            let report = try service.reconciliationReport()
            #expect(report.kinds == [:], "\(report.examples)")
            #expect(report.equal == 1)
        }
    }

    @Test func aDoubtIsFoundAgainAfterARestart() async throws {
        // given: the paid period ended while nobody was there
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        try await node.run { service in _ = try await service.ingest(signedPayload: first) }
        var renewed = life
        let renewal = renewed.renew()
        // when
        node.clock.advance(to: life.end + .hours(1))
        // then
        try await self.finds(renewal, until: renewed.end, from: apple, node)
    }

    @Test func anEndByTimeIsAskedAboutAfterARestart() async throws {
        // given: access ended by time, and Apple gave no answer before the node stopped
        let apple = ScriptedApple()
        let (node, life, first) = try Node.awaiting(apple)
        var customer = life
        let off = try node.apple.sign(customer.turnAutoRenew(false))
        try await node.run { service in
            for payload in [first, off] { _ = try await service.ingest(signedPayload: payload) }
            node.clock.advance(to: life.end)
            await eventually { (try? await service.history(self.stream).last?.event.kind) == .expired }
        }
        // when: the customer has paid after all, of which nobody tells
        let renewal = customer.renew()
        node.clock.advance(to: life.end + .hours(1))
        // then
        try await self.finds(renewal, until: customer.end, from: apple, node)
    }

    @Test func whatAClientBringsFirstIsLearntFromHistoryAndStatuses() async throws {
        // given: three periods, of which the client posts the first alone
        let apple = ScriptedApple()
        var node = try Node()
        node.configuration.serverAPI = [try apple.client()]
        var life = TestSubscription(id: "1", from: Node.start - .days(70))
        let told = [life.subscribe(), life.renew(), life.renew()]
        let signed = try told.map { try node.apple.transaction($0) }
        let last = told[2]
        apple.answers { [store = node.apple] request in
            if request.path.contains("/history/1") {
                let list = signed.map { "\"\(String(decoding: $0, as: UTF8.self))\"" }.joined(separator: ",")
                return ScriptedApple.json(#"{"revision":"r1","hasMore":false,"signedTransactions":[\#(list)]}"#)
            }
            guard request.path.contains("/subscriptions/1") else {
                return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            }
            return (try? store.statuses(last)) ?? ScriptedApple.notFound
        }
        try await node.run { [end = life.end] service in
            // when
            let posted = try await service.record(
                signedTransaction: signed[0], signedRenewalInfo: nil)
            #expect(posted.snapshot?.entitled == false)
            // then
            await eventually { (try? await service.view("1").snapshot?.expiresDate) == end }
            await eventually { (try? service.reconciliationReport().awaiting) == 0 }
            let view = try await service.view("1")
            #expect(view.snapshot?.entitled == true)
            #expect(view.snapshot?.incomplete == false)
            let sources = try await service.history(self.stream).map(\.event.source)
            #expect(Set(sources).isSuperset(of: [.client, .history, .statuses]))
            // and the next time only what is new is asked for
            _ = try await service.refresh(self.stream)
            #expect(apple.requests(to: "/history/1").last?.query.contains("revision=r1") == true)
        }
    }
}
