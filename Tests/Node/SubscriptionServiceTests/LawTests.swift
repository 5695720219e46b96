import Entitlements
import EventLog
import InMemoryStore
import PerennialTestSupport
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// The laws of the domain, through the whole service and a store.
@Suite(.timeLimit(.minutes(5))) struct LawTests {
    private static let stories = (0..<200).map { TestSubscription.story(seed: $0, from: Node.start - .days(400)) }

    private struct Answer: Equatable {
        var snapshot: SubscriptionSnapshot?
        var code: String
    }

    /// The answers of a service to which every notification is delivered in this order.
    private func answers(_ order: [TestNotification], on node: Node) async throws -> [String: Answer] {
        let payloads = try order.map { try node.apple.sign($0) }
        return try await node.run { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        for index in stride(from: lane, to: payloads.count, by: 8) {
                            _ = try await service.ingest(signedPayload: payloads[index])
                        }
                    }
                }
                try await group.waitForAll()
            }
            return try await self.answers(service)
        }
    }

    private func answers(_ service: SubscriptionService) async throws -> [String: Answer] {
        var answers: [String: Answer] = [:]
        for story in Self.stories {
            let view = try await service.view(story[0].id)
            answers[view.key.id] = Answer(snapshot: view.snapshot, code: view.code)
            // a check says the same as the subscription
            let verdict = try await service.check(story[0].id)
            #expect(verdict?.entitled == view.snapshot?.entitled)
            #expect(verdict?.state == view.snapshot?.state)
            #expect(verdict?.validUntil == view.snapshot?.validUntil)
            #expect(verdict?.code.description == view.code)
        }
        return answers
    }

    private func node(_ store: any EventStore, cache: Int = 256) throws -> Node {
        var node = try Node(store: store)
        node.clock.advance(to: Node.start + .days(30))
        node.configuration.statesPerShard = cache
        node.configuration.entitlementsPerShard = cache
        return node
    }

    @Test func anyOrderAndRepetitionGivesTheSameAnswers() async throws {
        // given
        let inOrder = Self.stories.flatMap(\.self)
        let expected = try await self.answers(inOrder, on: self.node(InMemoryEventStore(shardCount: 16)))
        #expect(expected.count == Self.stories.count)
        var random = SeededGenerator(seed: 7)
        let directory = try TemporaryDirectory()
        let sqlite = try Node.sqlite(in: directory)
        for (store, cache) in [(InMemoryEventStore(shardCount: 16), 1), (sqlite, 2)] as [(any EventStore, Int)] {
            // when: shuffled, a third of it twice, with room for one or two states in memory
            let repeated = inOrder + inOrder.shuffled(using: &random).prefix(inOrder.count / 3)
            let node = try self.node(store, cache: cache)
            let answers = try await self.answers(repeated.shuffled(using: &random), on: node)
            // then
            #expect(answers == expected)
            // and the same from the store alone, and by replaying the log
            let again = try await node.run { service in
                let fresh = try await self.answers(service)
                for story in Self.stories {
                    let now = try await service.view(story[0].id)
                    let replayed = try await service.view(story[0].id, at: node.clock.now)
                    #expect(replayed.snapshot == now.snapshot)
                }
                return fresh
            }
            #expect(again == expected)
        }
        try sqlite.close()
    }

    @Test func aStoreThatIsOpenedAgainGivesTheSameLog() async throws {
        // given
        let directory = try TemporaryDirectory()
        let order = Self.stories.prefix(20).flatMap(\.self)
        let first = try Node.sqlite(in: directory)
        let node = try self.node(first)
        let payloads = try order.map { try node.apple.sign($0) }
        let before = try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            return try await service.changes(after: nil, limit: 1_000).events
        }
        try first.close()
        // when
        let second = try Node.sqlite(in: directory)
        var reopened = node
        reopened.store = second
        let after = try await reopened.run { service in
            for payload in payloads {
                guard case .duplicate = try await service.ingest(signedPayload: payload) else {
                    Issue.record("a notification was recorded twice")
                    continue
                }
            }
            return try await service.changes(after: nil, limit: 1_000).events
        }
        try second.close()
        // then
        #expect(before.count >= payloads.count)
        #expect(after == before)
    }
}
