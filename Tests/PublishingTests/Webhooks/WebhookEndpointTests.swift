import EventSourcing
import Publishing
import Testing

/// What becomes of endpoints that are changed while nodes deliver.
@Suite(.timeLimit(.minutes(10))) struct WebhookEndpointTests {
    private let node: WebhookNode

    init() throws { self.node = try WebhookNode() }

    private var receiver: ScriptedReceiver { self.node.receiver }

    @Test func aKeyThatIsChangedWhileANodeDisablesItsEndpointStays() async throws {
        let store = MeddlingStore(self.node.node.store)
        try await self.node.run(store) { service in
            let endpoint = try await self.node.endpoint()
            self.receiver.behaviour = { _ in 410 }
            // given: somebody changes the key just before the node writes that the endpoint is gone
            store.before(["webhook-disabled/", "webhook-endpoint/"]) {
                _ = try? await self.node.registry.rotate(endpoint.id, to: .hmac, overlap: 600)
            }
            // when
            try await service.renew(0..<1, period: 0)
            // then
            await eventually { (try? await self.node.registry.endpoint(endpoint.id).disabled) != nil }
            let found = try await self.node.registry.endpoint(endpoint.id)
            #expect(found.keys.count == 2)
            #expect(found.keys.last?.key == endpoint.keys[0].key)
            // and the next one leaves it disabled
            #expect(try await self.node.registry.rotate(endpoint.id, to: .hmac, overlap: 600).disabled != nil)
            #expect(try await self.node.registry.endpoints().map(\.disabled) == [found.disabled])
            // until it is wanted again
            #expect(try await self.node.registry.update(endpoint.id, found.wish).disabled == nil)
            #expect(try await self.node.registry.endpoint(endpoint.id).disabled == nil)
        }
    }

    @Test func anotherAddressIsNotHeldForAbsent() async throws {
        try await self.node.run { service in
            // given: nobody is there, and the machine's clock stands still
            self.receiver.behaviour = { $0.url.hasSuffix("right") ? 200 : 503 }
            let endpoint = try await self.node.endpoint("wrong")
            try await service.renew(0..<5, period: 0)
            await eventually { self.receiver.attempts.count >= 5 }
            // when
            var wish = endpoint.wish
            wish.url = "https://1.1.1.1/right"
            _ = try await self.node.registry.update(endpoint.id, wish)
            // then
            await eventually { self.receiver.taken.count == 5 }
        }
    }

    @Test func oneThatCannotBeReadIsNoTroubleOfOthers() async throws {
        try await self.node.node.store.setBookmarks(["webhook-endpoint/whe_damaged": [1, 2, 3]])
        try await self.node.run { service in
            let endpoint = try await self.node.endpoint()
            try await service.renew(0..<5, period: 0)
            await eventually { self.receiver.taken.count == 5 }
            #expect(try await self.node.registry.endpoints().map(\.id) == [endpoint.id])
            try await self.node.registry.remove(endpoint.id)
            await eventually {
                let asked = self.receiver.attempts.count
                try? await service.renew(0..<1, period: 1 + asked)
                try? await Task.sleep(for: .seconds(1))
                return self.receiver.attempts.count == asked
            }
        }
    }
}
