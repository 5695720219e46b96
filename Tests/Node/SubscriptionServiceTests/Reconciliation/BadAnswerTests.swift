import AppStore
import PerennialTestSupport
import Reconciliation
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// Whatever is said in the place of an answer.
@Suite(.timeLimit(.minutes(10))) struct BadAnswerTests {
    @Test(arguments: BadAnswer.allCases)
    func aBadAnswerTakesNoAccessBeforeThePaidTimeAndItsLeewayAreOver(_ bad: BadAnswer) async throws {
        // given
        let apple = ScriptedApple()
        let (node, life, _) = try Node.awaiting(apple)
        var copy = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = copy.subscribe()
        let payload = try node.apple.sign(first)
        apple.answers { [store = node.apple] request throws(ServerAPIError) in
            guard request.path.contains("/subscriptions/") else {
                return ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            }
            return try bad.answer(store, first)
        }
        try await node.run { service in
            _ = try await service.ingest(signedPayload: payload)
            // when
            try await node.pass(the: life.end, service)
            await eventually { !apple.requests(to: "/subscriptions/1").isEmpty }
            await eventually {
                guard let report = try? service.reconciliationReport() else { return false }
                return report.checked == 1 || report.awaiting == 1
            }
            // then: entitled, as without any answer
            #expect(try await service.check("1")?.entitled == true)
            #expect(try await service.view("1").snapshot?.entitled == true)
            #expect(try await service.view("1").snapshot?.validUntil == life.end + .hours(2))
            node.clock.advance(to: life.end + .hours(2) - .seconds(1))
            #expect(try await service.check("1")?.entitled == true)
            // and what can end it is time
            node.clock.advance(to: life.end + .hours(2))
            #expect(try await service.check("1")?.entitled == false)
        }
    }
}
