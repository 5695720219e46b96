import EventLog
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing
import Webhooks

/// Webhooks of a node, from the commit to the receiver.
@Suite(.timeLimit(.minutes(10))) struct WebhookTests {
    private let node: WebhookNode

    init() throws { self.node = try WebhookNode() }

    private var receiver: ScriptedReceiver { self.node.receiver }

    private func id(_ number: Int) -> String { "\(2_000_000_000 + number)" }

    @Test func everyChangeArrivesOnceAndInItsOrder() async throws {
        try await self.node.run { service in
            // given: some history, and an endpoint that wants what is new
            try await service.renew(0..<40, period: 0)
            _ = try await self.node.endpoint()
            // when
            for period in 1...5 { try await service.renew(0..<40, period: period) }
            // then
            await eventually { self.receiver.taken.count >= 200 }
            let versions = self.receiver.versions()
            #expect(versions == Dictionary(uniqueKeysWithValues: (0..<40).map { (self.id($0), [2, 3, 4, 5, 6]) }))
            #expect(Set(self.receiver.taken.map(\.id)).count == 200)
            #expect(self.receiver.attempts.count == 200)
            let last = try #require(self.receiver.taken.last?.json)
            #expect(last.type.hasPrefix("subscription."))
            #expect(last.data?.previous?.state == "subscribed")
            #expect(last.data?.current?.entitled == true)
            #expect(last.timestamp == PublishingNode.start.rfc3339)
            #expect(self.receiver.taken.allSatisfy { $0.seconds == 1_790_000_000 })
        }
    }

    @Test func anEndpointMayWantTheWholeLog() async throws {
        try await self.node.run { service in
            for period in 0..<30 { try await service.renew(0..<20, period: period) }
            _ = try await self.node.endpoint(from: .beginning)
            await eventually { self.receiver.taken.count >= 600 }
            #expect(self.receiver.versions().values.allSatisfy { $0 == Array(1...30) })
        }
    }

    @Test func itGetsWhatItWantsAlone() async throws {
        try await self.node.run { service in
            _ = try await self.node.endpoint("none", types: ["purchase.*", "subscription.refunded"])
            _ = try await self.node.endpoint("all", types: ["subscription.*"])
            for period in 0..<3 { try await service.renew(0..<10, period: period) }

            await eventually { self.receiver.taken.count { $0.url.hasSuffix("all") } == 30 }
            #expect(self.receiver.attempts.allSatisfy { !$0.url.hasSuffix("none") })
        }
    }

    @Test func aWishHasTypesEnvironmentsAndApps() {
        let key = StreamKey(
            kind: .subscription, id: "1", environment: .sandbox, bundleID: BundleID(rawValue: "com.example.app"))
        func wants(_ types: [String] = [], in environments: [String] = [], of apps: [String] = []) -> Bool {
            let wish = WebhookEndpoint.Wish(url: "", types: types, environments: environments, bundleIDs: apps)
            return wish.includes(key) && wish.type(of: [.enteredGrace], in: key.kind) != nil
        }

        #expect(wants())
        #expect(wants(["subscription.*"]) && wants(["*"]) && wants(["purchase.*", "subscription.entered_grace"]))
        #expect(!wants(["purchase.*"]) && !wants(["subscription.entered"]) && !wants(["subscription.renewed"]))
        #expect(wants(in: ["Production", "Sandbox"]) && !wants(in: ["Production"]))
        #expect(wants(of: ["com.example.app"]) && !wants(of: ["com.example.application"]))
        #expect(!wants(["subscription.*"], in: ["Sandbox"], of: ["other"]))
    }

    @Test func anEventIsToldAsTheFirstOfItsChangesThatIsWanted() {
        let changes: [Change] = [.refunded, .renewed, .autoRenewDisabled]
        func type(_ types: [String]) -> String? {
            WebhookEndpoint.Wish(url: "", types: types).type(of: changes, in: .subscription)
        }

        #expect(type([]) == "subscription.refunded")
        #expect(type(["subscription.*"]) == "subscription.refunded")
        #expect(type(["subscription.auto_renew_disabled"]) == "subscription.auto_renew_disabled")
        #expect(type(["subscription.auto_renew_disabled", "subscription.ren*"]) == "subscription.renewed")
        #expect(type(["purchase.*", "subscription.expired"]) == nil)
    }

    /// Whoever moves in meets running subscriptions whose first word is an ending, or a worry.
    @Test func whoWantsOneTypeIsToldWhicheverChangeOfAnEventItIs() async throws {
        try await self.node.run { service in
            // given an endpoint for each of these, and one for all
            let firstWords: [(id: Int, kind: StreamKind, label: (String, String?), type: String)] = [
                (1, .subscription, ("REFUND", nil), "refunded"),
                (2, .subscription, ("EXPIRED", "VOLUNTARY"), "expired"),
                (3, .subscription, ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"), "entered_grace"),
                (4, .subscription, ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"), "auto_renew_disabled"),
                (5, .subscription, ("REVOKE", nil), "family_access_revoked"),
                (6, .purchase, ("REFUND", nil), "refunded"),
                (7, .subscription, ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"), "auto_renew_enabled"),
                (8, .subscription, ("GRACE_PERIOD_EXPIRED", nil), "grace_expired"),
            ]
            for word in firstWords {
                let type = "\(word.kind == .purchase ? "purchase" : "subscription").\(word.type)"
                _ = try await self.node.endpoint("only/\(word.id)", types: [type])
            }
            _ = try await self.node.endpoint("all")
            // when each is the first that is heard of its stream
            for word in firstWords {
                try await service.beginWith(word.label, of: word.id, kind: word.kind)
            }
            // then it is told under the type that was asked for, with all that it changed
            func told(_ path: String, of id: Int) -> [ScriptedReceiver.Message] {
                self.receiver.taken.filter { $0.url == "https://1.1.1.1/\(path)" && $0.subscription == self.id(id) }
            }
            for word in firstWords {
                await eventually { !told("all", of: word.id).isEmpty && !told("only/\(word.id)", of: word.id).isEmpty }
                let (whole, told) = (told("all", of: word.id).first, told("only/\(word.id)", of: word.id))
                #expect(told.map { $0.type.split(separator: ".").last.map(String.init) } == [word.type])
                #expect(told.first?.json.data?.event.changes == whole?.json.data?.event.changes)
                #expect(told.first?.json.data?.event.changes.count ?? 0 > 1)
                #expect(told.first?.id == whole?.id)
            }
            // and what ends access is what whoever wants all is told
            for (id, type) in [
                (1, "subscription.refunded"), (2, "subscription.expired"), (5, "subscription.family_access_revoked"),
                (6, "purchase.refunded"), (8, "subscription.grace_expired"),
            ] {
                #expect(told("all", of: id).first?.type == type)
            }
        }
    }

    @Test func oneThatNeverAnswersSlowsNobodyElse() async throws {
        try await self.node.run { service in
            // given
            self.receiver.behaviour = { $0.url.hasSuffix("stuck") ? nil : 200 }
            _ = try await self.node.endpoint("stuck")
            _ = try await self.node.endpoint("well")
            // when
            for period in 0..<10 { try await service.renew(0..<100, period: period) }
            // then: all of it arrives, and no more than a few wait for the other one
            await eventually { self.receiver.taken.count >= 1_000 }
            #expect(self.receiver.versions(at: "https://1.1.1.1/well").values.allSatisfy { $0 == Array(1...10) })
            #expect(self.receiver.attempts.count { $0.url.hasSuffix("stuck") } <= 64)
        }
    }

    @Test func whatIsRefusedIsRepeatedBySchedule() async throws {
        try await self.node.run { service in
            // given: a receiver that does not take one subscription's second version
            let poor = self.id(3)
            self.receiver.behaviour = { $0.subscription == poor && $0.version == 2 ? 500 : 200 }
            let endpoint = try await self.node.endpoint()
            for period in 0..<4 { try await service.renew(0..<20, period: period) }
            await eventually { self.receiver.taken.count == 77 }
            await eventually { self.receiver.attempts.count { $0.subscription == poor } == 2 }

            // when its time has come, again and again
            for (index, delay) in RetrySchedule.delays.enumerated() {
                // By the clock as it stands now.
                try await self.node.untilFailed(endpoint, index + 1)
                self.node.advance(seconds: delay + delay / 10)
                await self.untilAttempted(poor, index + 2)
            }
            // then it is given up on, and the later ones are not held any more
            await eventually { self.receiver.taken.count == 79 }
            #expect(self.receiver.versions()[poor] == [1, 3, 4])
            #expect(self.receiver.attempts.count { $0.subscription == poor && $0.version == 2 } == 10)
            var letters: [DeadLetter] = []
            while letters.isEmpty { letters = try await self.deadLetters(endpoint) }
            #expect(letters.count == 1)
            #expect(letters.first?.originalTransactionID == poor)
            #expect(letters.first?.version == 2)
            #expect(letters.first?.attempts == 10)
            #expect(letters.first?.reason == "status 500")
            let attempts = self.receiver.attempts.filter { $0.subscription == poor && $0.version == 2 }
            #expect(Set(attempts.map(\.id)) == [try #require(letters.first).message])
            #expect(Set(attempts.map(\.seconds)).count == 10)

            // and when it is asked for later, it comes under its old id, and is no dead letter any more
            self.receiver.behaviour = { _ in 200 }
            let count = try await self.node.registry.replay(
                endpoint.id, from: PublishingNode.start, to: PublishingNode.start + .days(1))
            #expect(count == 80)
            await eventually { self.receiver.taken.count == 159 }
            #expect(self.receiver.versions()[poor] == [1, 3, 4, 1, 2, 3, 4])
            #expect(Set(self.receiver.taken.map(\.id)).count == 80)
            while try await !self.deadLetters(endpoint).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            while try await self.isReplaying(endpoint) { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    private func deadLetters(_ endpoint: WebhookEndpoint) async throws -> [DeadLetter] {
        try await self.node.registry.deadLetters(of: endpoint.id, after: nil, limit: 100)
    }

    private func untilAttempted(_ id: String, _ count: Int) async {
        await eventually { self.receiver.attempts.count { $0.subscription == id && $0.version == 2 } >= count }
    }

    private func isReplaying(_ endpoint: WebhookEndpoint) async throws -> Bool {
        try await !self.node.node.store.bookmarks(
            startingWith: "webhook-replay/\(endpoint.id)/", after: nil, limit: 1
        ).isEmpty
    }

    @Test func aNodeThatComesBackGoesOn() async throws {
        // given: a node that went while one subscription's event was refused
        let poor = self.id(3)
        self.receiver.behaviour = { $0.subscription == poor ? 500 : 200 }
        try await self.node.run { service in
            _ = try await self.node.endpoint()
            for period in 0..<3 { try await service.renew(0..<20, period: period) }
            await eventually { self.receiver.taken.count == 57 && self.receiver.attempts.count == 58 }
        }
        // when it comes back, and its time has come
        try await self.node.run { service in
            try await service.renew(0..<1, period: 4)
            await eventually { self.receiver.taken.count == 58 }
            #expect(self.receiver.attempts.count == 59)
            self.receiver.behaviour = { _ in 200 }
            self.node.advance(seconds: 6)
            // then only that is delivered
            await eventually { self.receiver.taken.count == 61 }
            #expect(self.receiver.versions()[poor] == [1, 2, 3])
            #expect(Set(self.receiver.taken.map(\.id)).count == 61)
        }
    }

    @Test func anEndpointThatComesBackGetsEverything() async throws {
        try await self.node.run { service in
            // given: one that is away for more events than are looked at ahead
            for period in 0..<40 { try await service.renew(0..<200, period: period) }
            self.receiver.behaviour = { _ in 503 }
            let endpoint = try await self.node.endpoint(from: .beginning)
            await eventually { self.receiver.attempts.count >= 3 }
            #expect(try await self.node.registry.backlog(of: endpoint.id) == 8_000)
            // when it is back, before the time of any of them has come
            self.receiver.behaviour = { _ in 200 }
            // then it gets all of it
            await eventually { self.receiver.taken.count >= 8_000 }
            #expect(self.receiver.versions().values.allSatisfy { $0 == Array(1...40) })
            await eventually { (try? await self.node.registry.backlog(of: endpoint.id)) == 0 }
        }
    }

    @Test func oneThatIsGoneIsNotAskedAgain() async throws {
        try await self.node.run { service in
            self.receiver.behaviour = { _ in 410 }
            let endpoint = try await self.node.endpoint("gone")
            try await service.renew(0..<1, period: 0)
            await self.untilDisabled(endpoint)
            let attempts = self.receiver.attempts.count
            self.receiver.behaviour = { _ in 200 }
            // when another one is told of all that happens then
            _ = try await self.node.endpoint("other")
            for period in 1...20 { try await self.node.renewAndWait(service, period: period, at: "other") }
            // then it was asked nothing
            #expect(self.receiver.attempts.count == attempts + 20)

            // and when it is enabled again, it goes on where it was
            _ = try await self.node.registry.update(endpoint.id, endpoint.wish)
            await eventually { self.receiver.taken.count == 41 }
            #expect(self.receiver.versions(at: "https://1.1.1.1/gone")[self.id(0)] == Array(1...21))
        }
    }

    @Test func oneThatIsEnabledAgainAtOnceGoesOn() async throws {
        try await self.node.run { service in
            let endpoint = try await self.node.endpoint()
            for period in 0..<5 {
                self.receiver.behaviour = { _ in 410 }
                try await service.renew(0..<1, period: period)
                await self.untilDisabled(endpoint)
                self.receiver.behaviour = { _ in 200 }
                _ = try await self.node.registry.update(endpoint.id, endpoint.wish)
                await eventually { self.receiver.taken.count == period + 1 }
            }
        }
    }

    private func untilDisabled(_ endpoint: WebhookEndpoint) async {
        await eventually { (try? await self.node.registry.endpoint(endpoint.id).disabled) != nil }
    }

    @Test func oneThatIsRemovedGetsNothing() async throws {
        try await self.node.run { service in
            // given
            let endpoint = try await self.node.endpoint("removed")
            _ = try await self.node.endpoint("other")
            try await service.renew(0..<1, period: 0)
            await eventually { self.receiver.taken.count == 2 }
            // when
            try await self.node.registry.remove(endpoint.id)
            await #expect(throws: ServiceError.self) { _ = try await self.node.registry.endpoint(endpoint.id) }
            // then it is asked for a moment at most, and nothing is left of it
            try await self.node.renewUntilOnlyOneIsAsked(service, periods: 1..., "other", not: "removed")
            await eventually {
                let left = try? await self.node.node.store.bookmarks(startingWith: "webhook-", after: nil, limit: 100)
                return left?.contains { $0.name.contains(endpoint.id) } == false
            }
        }
    }

    @Test func originalsGoOnUnchangedAndAlone() async throws {
        try await self.node.run { service in
            // given: an endpoint that wants what Apple signed
            _ = try await self.node.registry.create(
                WebhookEndpoint.Wish(url: "https://1.1.1.1/", format: .original), signedBy: .hmac, from: .now)
            // when: some changes came with a notification, and others otherwise
            try await service.renew(0..<5, period: 0)
            for id in 5..<8 { try await service.renew(id, period: 0, signedPayload: "e30.e\(id).c2ln") }
            try await service.renew(5..<8, period: 1)
            // then
            await eventually { self.receiver.bodies.count == 3 }
            #expect(
                Set(self.receiver.bodies) == Set((5..<8).map { "{\"signedPayload\":\"e30.e\($0).c2ln\"}" }))
        }
    }

    /// Until the only endpoint has taken what it was told.
    private func renewAndTake(_ service: SubscriptionService, period: Int) async throws {
        let taken = self.receiver.taken.count
        try await self.node.renewAndWait(service, period: period, at: "a")
        await eventually { self.receiver.taken.count > taken }
    }

    @Test func aNewKeySignsBesideTheOldOneForAWhile() async throws {
        try await self.node.run { service in
            let endpoint = try await self.node.endpoint()
            let rotated = try await self.node.registry.rotate(endpoint.id, to: .ed25519, overlap: 60)
            #expect(rotated.keys.count == 2)
            var period = 0
            repeat {
                try await self.renewAndTake(service, period: period)
                period += 1
            } while self.receiver.taken.last?.signatures.count == 1
            #expect(self.receiver.taken.last?.signatures.map { $0.prefix { $0 != "," } } == ["v1a", "v1"])

            self.node.advance(seconds: 61)
            try await self.renewAndTake(service, period: period)
            #expect(self.receiver.taken.last?.signatures.map { $0.prefix { $0 != "," } } == ["v1a"])
        }
    }

    @Test(arguments: [
        "https://127.0.0.1/", "https://localhost/", "http://1.1.1.1/", "https://169.254.169.254/latest/meta-data", "x",
        "",
    ])
    func anAddressInsideIsRefused(_ url: String) async throws {
        let error = await #expect(throws: ServiceError.self) {
            _ = try await self.node.registry.create(.init(url: url), signedBy: .hmac, from: .now)
        }
        #expect(error?.code == .invalidRequest)
    }
}
