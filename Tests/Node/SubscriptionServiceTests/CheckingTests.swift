import EventLog
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct CheckingTests {
    @Test func aChangedSettingCountsAtOnceForWhatIsStored() async throws {
        // given: a row that was stored with two hours of leeway
        var node = try Node()
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { _ = try await $0.ingest(signedPayload: payload) }
        func validUntil(_ node: Node) async throws -> Moment? {
            try await node.run { try await $0.check("1")?.validUntil }
        }
        let before = try #require(try await validUntil(node))
        // when: the setting changes, and changes back
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        let changed = try await validUntil(node)
        node.configuration.rules.renewalLeeway[.production] = .hours(2)
        let back = try await validUntil(node)
        // then
        #expect(changed == before + .hours(7))
        #expect(back == before)
    }

    @Test func aBatchIsAnsweredInItsOrderHoweverItIsLoaded() async throws {
        // given: every third id is known
        let node = try Node()
        let payloads = try stride(from: 0, to: 300, by: 3).map { number in
            var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
            return try node.apple.sign(life.subscribe())
        }
        try await node.run { for payload in payloads { _ = try await $0.ingest(signedPayload: payload) } }
        // when: nothing is in memory, then part of it, then all; an id comes twice
        let ids = (0..<300).reversed() + [0, 1, 0]
        let few = ids.filter { $0 % 7 == 0 }
        let answers = try await node.run { service in
            var answers: [[Bool]] = []
            for asked in [few, ids, ids] {
                let requests = asked.map { CheckRequest(stream: StreamReference(id: "\($0)")) }
                let response = try await service.check(requests, consistency: .local, atLeast: nil)
                answers.append(
                    response.results.map { result in
                        guard case .verdict(let verdict) = result else { return false }
                        return verdict.entitled
                    })
            }
            return answers
        }
        // then
        #expect(answers[0] == few.map { $0 % 3 == 0 })
        #expect(answers[1] == ids.map { $0 % 3 == 0 })
        #expect(answers[2] == answers[1])
    }

    @Test("a durable answer waits for the newest commit, whoever made it, and an owner's does not")
    func whatIsDurable() async throws {
        // given
        let store = OvertakenStore()
        let node = try Node(store: store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            let question = [CheckRequest(stream: StreamReference(id: "1"))]
            func isEntitled(_ consistency: Consistency) async throws -> Bool {
                let response = try await service.check(question, consistency: consistency, atLeast: nil)
                guard case .verdict(let verdict) = response.results.first else { return false }
                return verdict.entitled
            }
            #expect(try await isEntitled(.durable))
            // when: somebody else has committed to the shards, and this node does not know it
            store.overtake()
            // then
            #expect(try await isEntitled(.owner))
            await #expect {
                _ = try await isEntitled(.durable)
            } throws: { ($0 as? ServiceError)?.code == .frozen }
        }
    }
}
