import Metrics
import PerennialTestSupport
import PrometheusMetrics
import SubscriptionService
import Subscriptions
import Testing
import Webhooks

/// What the metrics say of webhooks.
@Suite(.timeLimit(.minutes(10))) struct WebhookMetricsTests {
    private let node: WebhookNode
    private let registry = PrometheusRegistry()

    init() throws { self.node = try WebhookNode() }

    private static let lag = "perennial_webhook_lag_seconds"

    private func deliveries(_ result: String) -> Double? {
        self.registry.value(of: "perennial_webhook_deliveries_total{result=\"\(result)\"}")
    }

    @Test func everyAttemptCountsAsWhatBecameOfIt() async throws {
        try await withMetricsFactory(self.registry) {
            try await self.node.run { service in
                // given: an endpoint that refuses what happens to one of five subscriptions
                self.node.receiver.behaviour = { $0.subscription == "2000000003" ? 500 : 200 }
                _ = try await self.node.endpoint()
                try await service.renew(0..<5, period: 0)
                await eventually { self.deliveries("delivered") == 4 && self.deliveries("failed") == 1 }
                #expect(self.deliveries("dead") == 0)
                // when: the time of each further attempt comes
                await eventually {
                    self.node.advance(seconds: RetrySchedule.length)
                    return self.deliveries("dead") == 1
                }
                // then
                #expect(self.deliveries("failed") == Double(RetrySchedule.delays.count + 1))
                #expect(self.deliveries("delivered") == 4)
            }
        }
    }

    /// - Parameter status: of the endpoint's answers; nil for one that does not answer.
    @Test(arguments: [nil, 500] as [Int?]) func theLagGrowsWhileAnEndpointIsStuck(status: Int?) async throws {
        try await withMetricsFactory(self.registry) {
            try await self.node.run { service in
                // given
                self.node.receiver.behaviour = { _ in status }
                _ = try await self.node.endpoint()
                try await service.renew(0..<3, period: 0)
                // then: by the machine's clock the commits are so old, and get older
                let age = Double(self.node.clock.now.milliseconds - PublishingNode.start.milliseconds) / 1_000
                await eventually { self.registry.value(of: Self.lag) == age }
                self.node.advance(seconds: 600)
                await eventually { self.registry.value(of: Self.lag) == age + 600 }
            }
        }
    }

    @Test func thereIsNoLagOnceAllHasBeenTaken() async throws {
        try await withMetricsFactory(self.registry) {
            try await self.node.run { service in
                // given
                self.node.receiver.behaviour = { _ in 500 }
                _ = try await self.node.endpoint()
                try await service.renew(0..<3, period: 0)
                await eventually { self.registry.value(of: Self.lag) ?? 0 > 0 }
                // when
                self.node.receiver.behaviour = { _ in 200 }
                // then
                await eventually {
                    self.node.advance(seconds: RetrySchedule.length)
                    return self.registry.value(of: Self.lag) == 0
                }
                #expect(self.node.receiver.taken.count == 3)
            }
        }
    }
}
