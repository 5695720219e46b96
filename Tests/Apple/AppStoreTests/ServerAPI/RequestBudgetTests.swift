import AppStore
import Subscriptions
import Testing

@Suite struct RequestBudgetTests {
    @Test func knowsWhatAppleDocuments() {
        let production = RequestBudget.appleLimits(in: .production)
        #expect(Set(production.keys) == Set(ServerAPIEndpoint.allCases))
        #expect(production[.statuses] == 50)
        #expect(production[.transactionHistory] == 50)
        #expect(production[.notificationHistory] == 50)
        #expect(production[.consumption] == 50)
        #expect(production[.extendRenewalDate] == 20)
        #expect(production[.setAppAccountToken] == 20)
        #expect(production[.orderLookUp] == 10)
        #expect(production[.refundHistory] == 10)
        #expect(production[.massExtension] == 1)
        #expect(production[.requestTest] == 1)
        #expect(production[.testStatus] == 1)
        let sandbox = RequestBudget.appleLimits(in: .sandbox)
        for (endpoint, limit) in production { #expect(sandbox[endpoint] == limit / 10) }
    }

    /// Tokens that come in a hundred milliseconds, in thousandths.
    private static func refill(_ budget: RequestBudget, _ quick: QuickTime, _ endpoint: ServerAPIEndpoint) -> Int {
        budget.close(endpoint, for: .seconds(0))
        quick.advance(by: Milliseconds(rawValue: 100))
        return Int((budget.remaining(endpoint) * 1_000).rounded())
    }

    @Test func isDividedAmongNodes() {
        let quick = QuickTime()
        let budget = RequestBudget(limits: [.statuses: 50, .requestTest: 1], share: 0.5, time: quick.time)
        #expect(Self.refill(budget, quick, .statuses) == 2_500)
        #expect(Self.refill(budget, quick, .requestTest) == 50)
        budget.divide(by: 5)
        #expect(Self.refill(budget, quick, .statuses) == 500)
        budget.divide(by: 0)
        #expect(Self.refill(budget, quick, .statuses) == 2_500)
        // Nobody said anything of this one.
        #expect(Self.refill(budget, quick, .orderLookUp) == 50)
    }

    @Test func waitsForItsTurnWithinTheDeadline() async throws {
        let transport = ScriptedTransport(json: #"{"testNotificationToken":"t"}"#)
        let fixture = try ServerAPIFixture(transport, limits: [.requestTest: 0.1])
        for _ in 0..<5 { _ = try await fixture.client.requestTestNotification() }
        // Three from the start, and two that had to wait for ten seconds each.
        #expect(fixture.quick.now >= Moment(milliseconds: 1_700_000_019_000))
        #expect(transport.requests.count == 5)
    }

    @Test func saysAtOnceThatItsTurnWillNotCome() async throws {
        let transport = ScriptedTransport(json: #"{"testNotificationToken":"t"}"#)
        let fixture = try ServerAPIFixture(transport, limits: [.requestTest: 0.01])
        for _ in 0..<3 { _ = try await fixture.client.requestTestNotification() }
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            try await fixture.client.requestTestNotification()
        }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryable == true)
        #expect(error?.status == nil)
        #expect(error?.retryAfter == Moment(milliseconds: 1_700_000_100_000))
        #expect(transport.requests.count == 3)
        #expect(fixture.quick.pauses.isEmpty)
    }
}
