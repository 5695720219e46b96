import EventLog
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions

/// One attempt to deliver one event.
struct WebhookAttempt {
    enum Outcome {
        case delivered
        /// There is nothing to send in the endpoint's format.
        case unsent
        /// Nothing was tried: that says nothing about the endpoint.
        case withheld
        case failed(DeliveryFailure)
    }

    let context: WebhookDispatcher.Context
    let endpoint: WebhookEndpoint

    func deliver(_ event: StoredEvent) async -> Outcome {
        let message: WebhookMessage
        do {
            guard let body = try await self.body(of: event) else { return .unsent }
            message = WebhookMessage(event, of: self.context.store.identity, body: body)
        } catch {
            guard !ServiceError(error).retryable else { return .withheld }
            return .failed(DeliveryFailure("the event cannot be read", isAbsence: false))
        }
        guard let target = WebhookTarget(self.endpoint.wish.url) else {
            return .failed(DeliveryFailure("the url cannot be read", isAbsence: false))
        }
        let now = self.context.clock.now.milliseconds
        let fields = message.fields(signedWith: self.endpoint.keys(at: now), at: now / 1_000)
        // Nothing leaves that another node may be sending by now.
        guard self.context.log.mayAnswer(for: event.shard) else { return .withheld }
        do throws(DeliveryFailure) {
            let answer = try await self.context.transport.post(
                message.body, fields, to: target, of: self.endpoint.id)
            return answer.failure.map(Outcome.failed) ?? .delivered
        } catch {
            // Whoever is stopped has not been refused.
            return Task.isCancelled ? .withheld : .failed(error)
        }
    }

    /// nil for what is not to be sent in the endpoint's format.
    private func body(of event: StoredEvent) async throws -> [UInt8]? {
        switch self.endpoint.wish.format {
        case .change:
            // Its kind, where the endpoint's wish is another by now.
            let type = event.type(for: self.endpoint.wish) ?? event.type
            return try await self.context.log.describer.describe([event]).first.map { self.context.render($0, type) }
        case .original:
            guard case .kept(let parts)? = try await self.context.store.evidence(of: event.sequence, in: event.shard),
                let payload = parts.first(where: { $0.name == .signedPayload })
            else { return nil }
            // A compact JWS has nothing that JSON escapes.
            return Array(#"{"signedPayload":""#.utf8) + payload.jws + Array(#""}"#.utf8)
        }
    }
}
