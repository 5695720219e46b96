import AppStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Free days are given once.
@Suite(.timeLimit(.minutes(5))) struct ExtensionTests {
    @Test(arguments: [ServerAPIError.Code.timedOut, .notReached])
    func whatAppleMayHaveDoneIsLookedIntoAndNotRepeated(_ code: ServerAPIError.Code) async throws {
        // given: the request goes out, and no answer comes
        let apple = ScriptedApple()
        var node = try Node()
        node.configuration.serverAPI = [try apple.client()]
        node.configuration.sweepPause = .seconds(3_600)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = life.subscribe()
        let payload = try node.apple.sign(first)
        apple.answers { [store = node.apple] request throws(ServerAPIError) in
            if request.path.contains("/extend/") { throw ServerAPIError(code, "no answer") }
            guard request.path.contains("/subscriptions/1") else {
                return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            }
            return (try? store.statuses(first)) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            // when
            let error = await #expect(throws: ServiceError.self) {
                _ = try await service.extend(
                    StreamReference(id: "1"), days: 14, reason: .serviceIssue, requestIdentifier: "outage-1")
            }
            // then
            #expect(error?.code == .appStoreOutcomeUnknown)
            #expect(error?.retryable == false)
            #expect(error?.retryAfter == nil)
            // and Apple is asked how it stands
            await eventually { apple.requests(to: "/v1/subscriptions/1").count == 1 }
            #expect(apple.requests(to: "/extend/").count == 1)
        }
    }
}
