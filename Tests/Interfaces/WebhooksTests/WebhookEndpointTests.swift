import EventLog
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Testing
import Webhooks

/// What becomes of endpoints that are changed while nodes deliver, or while others change them.
@Suite(.timeLimit(.minutes(10))) struct WebhookEndpointTests {
    private let node: WebhookNode

    init() throws { self.node = try WebhookNode() }

    private var receiver: ScriptedReceiver { self.node.receiver }

    private static let note = "webhook-endpoint/"

    private func id(_ number: Int) -> String { "\(2_000_000_000 + number)" }

    private func found(_ endpoint: WebhookEndpoint) async throws -> WebhookEndpoint {
        try await self.node.registry.endpoint(endpoint.id)
    }

    private func move(_ endpoint: WebhookEndpoint, to path: String) async throws {
        var wish = endpoint.wish
        wish.url = "https://1.1.1.1/\(path)"
        _ = try await self.node.registry.update(endpoint.id, wish)
    }

    private func untilDisabled(_ endpoint: WebhookEndpoint) async {
        await eventually { (try? await self.found(endpoint).disabled) != nil }
    }

    // MARK: Another address

    @Test func anotherAddressIsNotHeldForAbsent() async throws {
        try await self.node.run { service in
            // given: nobody was there for messages that left together
            self.receiver.isHeld = { $0.url.hasSuffix("wrong") }
            self.receiver.behaviour = { $0.url.hasSuffix("wrong") ? 503 : nil }
            let endpoint = try await self.node.endpoint("wrong")
            try await service.renew(0..<20, period: 0)
            await eventually { self.node.asked("wrong") == 20 }
            self.receiver.isHeld = { _ in false }
            try await self.node.untilFailed(endpoint, 20)
            // when
            try await self.move(endpoint, to: "right")
            // then all of them leave at once, without one answer, and while the machine's clock stands still
            await eventually { self.node.asked("right") == 20 }
        }
    }

    @Test func whatTheOldAddressRefusedIsNotHeldAgainstTheNewOne() async throws {
        try await self.node.run { service in
            // given
            self.receiver.behaviour = { $0.url.hasSuffix("right") ? 200 : 500 }
            let endpoint = try await self.node.endpoint("wrong")
            try await service.renew(0..<5, period: 0)
            try await self.node.untilFailed(endpoint, 5)
            // when
            try await self.move(endpoint, to: "right")
            // then it comes while the machine's clock stands still
            await eventually { self.receiver.taken.count == 5 }
        }
    }

    @Test(arguments: [410, 500, 503]) func whatTheOldAddressSaysLateChangesNothing(_ status: Int) async throws {
        try await self.node.run { service in
            // given: an answer of the old address that does not come
            let late = self.id(0)
            self.receiver.isHeld = { $0.url.hasSuffix("wrong") && $0.subscription == late }
            self.receiver.behaviour = { $0.url.hasSuffix("right") ? 200 : $0.subscription == late ? status : 500 }
            let endpoint = try await self.node.endpoint("wrong")
            try await service.renew(0..<1, period: 0)
            await eventually { self.node.asked("wrong") == 1 }
            // and the new address, which is asked already
            try await self.move(endpoint, to: "right")
            try await service.renew(1..<2, period: 0)
            await eventually { self.receiver.taken.count == 1 }
            // when
            self.receiver.isHeld = { _ in false }
            // then its message comes too, while the machine's clock stands still
            await eventually { self.receiver.taken.count == 2 }
            #expect(self.receiver.versions(at: "https://1.1.1.1/right") == [late: [1], self.id(1): [1]])
            #expect(try await self.found(endpoint).disabled == nil)
        }
    }

    @Test func oneThatMovesWhileANodeDisablesItStaysEnabled() async throws {
        let store = MeddlingStore(self.node.node.store)
        try await self.node.run(store) { service in
            // given
            self.receiver.behaviour = { $0.url.hasSuffix("right") ? 200 : 410 }
            let endpoint = try await self.node.endpoint("wrong")
            store.before(Self.note) { try? await self.move(endpoint, to: "right") }
            // when
            try await service.renew(0..<1, period: 0)
            // then
            await eventually { self.receiver.taken.count == 1 }
            #expect(try await self.found(endpoint).disabled == nil)
        }
    }

    // MARK: Several at a time

    @Test func aKeyThatIsChangedWhileANodeDisablesItsEndpointStays() async throws {
        let store = MeddlingStore(self.node.node.store)
        try await self.node.run(store) { service in
            let endpoint = try await self.node.endpoint()
            self.receiver.behaviour = { _ in 410 }
            // given: somebody changes the key just before the node writes that the endpoint is gone
            store.before(Self.note) {
                _ = try? await self.node.registry.rotate(endpoint.id, to: .hmac, overlap: 600)
            }
            // when
            try await service.renew(0..<1, period: 0)
            // then
            await self.untilDisabled(endpoint)
            let found = try await self.found(endpoint)
            #expect(found.keys.count == 2)
            #expect(found.keys.last?.key == endpoint.keys[0].key)
            // and the next one leaves it disabled
            #expect(try await self.node.registry.rotate(endpoint.id, to: .hmac, overlap: 600).disabled != nil)
            #expect(try await self.node.registry.endpoints().map(\.disabled) == [found.disabled])
            // until it is wanted again
            #expect(try await self.node.registry.update(endpoint.id, found.wish).disabled == nil)
            #expect(try await self.found(endpoint).disabled == nil)
        }
    }

    @Test func oneThatIsDisabledWhileItsKeyIsChangedStaysDisabled() async throws {
        let store = MeddlingStore(self.node.node.store)
        try await self.node.run { service in
            let endpoint = try await self.node.endpoint()
            self.receiver.behaviour = { _ in 410 }
            // given: a node hears that the endpoint is gone just before the key is written
            store.before(Self.note) {
                try? await service.renew(0..<1, period: 0)
                await self.untilDisabled(endpoint)
            }
            // when
            let rotated = try await self.node.registry(on: store).rotate(endpoint.id, to: .hmac, overlap: 600)
            // then
            #expect(rotated.disabled != nil)
            #expect(rotated.keys.count == 2)
            #expect(try await self.found(endpoint) == rotated)
        }
    }

    @Test func twoWhoChangeAnEndpointAtATimeBothDo() async throws {
        let store = MeddlingStore(self.node.node.store)
        let slow = self.node.registry(on: store)
        let endpoint = try await self.node.endpoint()
        let (ours, theirs) = (
            WebhookEndpoint.Wish(url: "https://1.1.1.1/ours"), WebhookEndpoint.Wish(url: "https://1.1.1.1/theirs")
        )
        // when a key is changed before a wish is written
        store.before(Self.note) { _ = try? await self.node.registry.rotate(endpoint.id, to: .hmac, overlap: 600) }
        let updated = try await slow.update(endpoint.id, ours)
        // then
        #expect(updated.wish == ours)
        #expect(updated.keys.count == 2)
        #expect(try await self.found(endpoint) == updated)

        // and when a wish is changed before a key is written
        store.before(Self.note) { _ = try? await self.node.registry.update(endpoint.id, theirs) }
        let rotated = try await slow.rotate(endpoint.id, to: .hmac, overlap: 600)
        // then
        #expect(rotated.wish == theirs)
        #expect(rotated.keys.count == 3)
        #expect(try await self.found(endpoint) == rotated)
    }

    @Test func oneThatIsRemovedWhileItIsChangedStaysAway() async throws {
        let store = MeddlingStore(self.node.node.store)
        let slow = self.node.registry(on: store)
        let changes: [@Sendable (WebhookEndpoint) async throws -> Void] = [
            { _ = try await slow.update($0.id, $0.wish) },
            { _ = try await slow.rotate($0.id, to: .hmac, overlap: 600) },
        ]
        for change in changes {
            let endpoint = try await self.node.endpoint()
            store.before(Self.note) { try? await self.node.registry.remove(endpoint.id) }

            let error = await #expect(throws: ServiceError.self) { try await change(endpoint) }

            #expect(error?.code == .unknownWebhook)
            #expect(try await store.bookmarks(startingWith: "webhook-", after: nil, limit: 1).isEmpty)
        }
    }

    @Test func whoIsForestalledAgainAndAgainGivesUp() async throws {
        let store = MeddlingStore(self.node.node.store)
        let endpoint = try await self.node.endpoint()
        self.forestall(endpoint, on: store, 0)

        let error = await #expect(throws: ServiceError.self) {
            _ = try await self.node.registry(on: store).rotate(endpoint.id, to: .hmac, overlap: 600)
        }

        #expect(error?.retryable == true)
        #expect(try await self.found(endpoint).keys == endpoint.keys)
    }

    /// Changes the wish each time before somebody else writes.
    private func forestall(_ endpoint: WebhookEndpoint, on store: MeddlingStore, _ count: Int) {
        store.before(Self.note) {
            try? await self.move(endpoint, to: "\(count)")
            self.forestall(endpoint, on: store, count + 1)
        }
    }

    // MARK: Damage

    @Test func oneThatCannotBeReadIsNoTroubleOfOthers() async throws {
        try await self.node.node.store.setBookmarks(["\(Self.note)whe_damaged": [1, 2, 3]])
        try await self.node.run { service in
            // given
            let endpoint = try await self.node.endpoint("removed")
            let other = try await self.node.endpoint("other")
            try await service.renew(0..<5, period: 0)
            await eventually { self.receiver.taken.count == 10 }
            #expect(Set(try await self.node.registry.endpoints().map(\.id)) == [endpoint.id, other.id])
            // when another one is removed
            try await self.node.registry.remove(endpoint.id)
            // then the node goes by it
            try await self.node.renewUntilOnlyOneIsAsked(service, periods: 1..., "other", not: "removed")
            // and has said once what it cannot read, though it has met it more often
            #expect(self.node.log.count(of: "A webhook endpoint cannot be read endpoint=whe_damaged") == 1)
        }
    }

    @Test func oneThatCannotBeReadIsRemovedAsOthersAre() async throws {
        let store = self.node.node.store
        try await store.setBookmarks(["\(Self.note)whe_damaged": [1, 2, 3], "webhook-cursor/whe_damaged/0001": [1]])

        try await self.node.registry.remove("whe_damaged")

        #expect(try await store.bookmarks(startingWith: "webhook-", after: nil, limit: 1).isEmpty)
        let error = await #expect(throws: ServiceError.self) { try await self.node.registry.remove("whe_damaged") }
        #expect(error?.code == .unknownWebhook)
    }
}
