import Customers
import EventLog
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Tokens that links register, where a token leads nowhere before (`customers.tokens: registered`).
@Suite(.timeLimit(.minutes(10))) struct LinkedTokenTests: CustomerSuite {
    @Test func `a link registers the token of its stream, and whoever takes it back takes that back`() async throws {
        let node = try RegistrationTests().registeringNode()
        let (first, second) = (StreamReference(id: "1"), StreamReference(id: "2"))
        let link = LinkRequest(Self.customer, origin: .backend, actor: "shop")
        let unlink = LinkRequest(Self.customer, origin: .backend, action: .unlink, actor: "shop")
        try await node.run { service in
            for id in ["1", "2"] {
                try await RegistrationTests.buy(id, token: RegistrationTests.tokens[0], node, service)
            }
            for _ in 0..<2 { try await service.link(first, link) }
            #expect(try await Self.view(service).identifiers == [RegistrationTests.token])
            #expect(try await RegistrationTests.streams(of: Self.customer, service) == ["1", "2"])
            #expect(
                await RegistrationTests.refusal(of: RegistrationTests.token, for: RegistrationTests.other, service)
                    == .tokenElsewhere)
            try await service.link(first, unlink)
            #expect(try await Self.view(service).identifiers.isEmpty)
            #expect(try await RegistrationTests.streams(of: Self.customer, service).isEmpty)

            // The second purchase is theirs by the token alone: said once more, that stays so.
            for stream in [first, second] { try await service.link(stream, link) }
            try await service.link(first, unlink)
            #expect(try await Self.view(service).identifiers == [RegistrationTests.token])
            #expect(try await RegistrationTests.streams(of: Self.customer, service) == ["2"])
            try await service.release(RegistrationTests.token, of: Self.customer, actor: nil)

            // What somebody has said beside it stays.
            try await service.link(first, link)
            try await service.register([RegistrationTests.token], for: Self.customer, actor: "shop")
            try await service.link(first, unlink)
            #expect(try await Self.view(service).identifiers == [RegistrationTests.token])
            try await service.release(RegistrationTests.token, of: Self.customer, actor: nil)

            // Undo takes the link back as a whole, and what takes it back too.
            func undoNewest(_ kind: Change) async throws {
                let view = try await service.customer(Self.customer, in: .production, atLeast: nil, withHistory: true)
                let event = try #require(view.history?.first { $0.event.kind == kind && $0.key.id == "2" })
                try await service.undo(event.id, of: Self.customer, actor: nil, reason: nil)
            }
            try await service.link(second, link)
            try await undoNewest(.linked)
            #expect(try await RegistrationTests.streams(of: Self.customer, service).isEmpty)
            #expect(try await Self.view(service).identifiers.isEmpty)
            try await service.link(second, link)
            try await service.link(second, unlink)
            try await undoNewest(.unlinked)
            #expect(try await RegistrationTests.streams(of: Self.customer, service).contains("2"))
            #expect(try await Self.view(service).identifiers == [RegistrationTests.token])
            try await service.link(second, unlink)

            // A token that is somebody's stays theirs.
            try await service.register([RegistrationTests.token], for: RegistrationTests.other, actor: nil)
            try await RegistrationTests.buy("3", token: RegistrationTests.tokens[0], node, service)
            #expect(
                try await RegistrationTests.streams(of: RegistrationTests.other, service) == ["3"],
                "the others are linked to nobody")
            await #expect(throws: ServiceError.self) { try await service.link(StreamReference(id: "3"), link) }
            #expect(
                try await service.customer(RegistrationTests.other, in: .production, atLeast: nil).identifiers == [
                    RegistrationTests.token
                ])
        }
    }

    @Test func `a post registers the token of what it posts`() async throws {
        let node = try RegistrationTests().registeringNode()
        try await node.run { service in
            var life = TestSubscription(id: "1", from: node.clock.now - .days(1))
            var bought = life.subscribe()
            bought.period?.appAccountToken = RegistrationTests.tokens[0]
            _ = try await service.record(
                signedTransaction: try node.apple.transaction(bought), signedRenewalInfo: nil,
                link: LinkRequest(Self.customer, origin: .post))
            try await RegistrationTests.buy("2", token: RegistrationTests.tokens[0], node, service)
            #expect(try await RegistrationTests.streams(of: Self.customer, service) == ["1", "2"])
        }
    }
}
