import EventLog
import HTTPAPI
import PerennialTestSupport
import SubscriptionService
import Subscriptions
import Webhooks

/// A node alone with its webhooks: the receiver is scripted, the machine's clock stands still until it is moved.
struct WebhookNode {
    let node: PublishingNode
    let receiver = ScriptedReceiver()
    let clock = ManualClock(Moment(milliseconds: 1_790_000_000_000))
    let log = LogLines()

    init() throws { self.node = try PublishingNode() }

    var registry: WebhookRegistry { self.registry(on: self.node.store) }

    func registry(on store: any EventStore) -> WebhookRegistry {
        WebhookRegistry(store: store, transport: self.receiver, clock: self.clock)
    }

    /// Runs the node, and its webhooks, for as long as `body` takes.
    /// - Parameter store: that webhooks see instead of the node's.
    func run(
        _ store: (any EventStore)? = nil, _ body: @Sendable @escaping (SubscriptionService) async throws -> Void
    ) async throws {
        try await self.node.run { running in
            let service = WebhookService(
                store: store ?? self.node.store, log: running.service.servedLog, transport: self.receiver,
                nodeClock: self.clock, clock: self.clock,
                logger: self.log.logger
            ) { $0.webhookBody(as: $1) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                let result: Result<Void, any Error>
                do { result = .success(try await body(running.service)) } catch { result = .failure(error) }
                group.cancelAll()
                try? await group.waitForAll()
                try result.get()
            }
        }
    }

    /// Makes an endpoint that gets everything from now on.
    func endpoint(
        _ path: String = "a", types: [String] = [], signedBy algorithm: WebhookKey.Algorithm = .hmac,
        from start: WebhookRegistry.Start = .now
    ) async throws -> WebhookEndpoint {
        try await self.registry.create(
            WebhookEndpoint.Wish(url: "https://1.1.1.1/\(path)", types: types), signedBy: algorithm, from: start)
    }

    func advance(seconds: Int64) { self.clock.advance(to: self.clock.now + Milliseconds(rawValue: seconds * 1_000)) }
}
