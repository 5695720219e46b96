import EventLog
import PerennialTestSupport
import SubscriptionService
import Webhooks

/// What endpoints are asked, and what becomes of it.
extension WebhookNode {
    func asked(_ path: String) -> Int { self.receiver.attempts.count { $0.url.hasSuffix("/\(path)") } }

    /// Of one subscription, until an endpoint has been told.
    func renewAndWait(_ service: SubscriptionService, period: Int, at path: String) async throws {
        let told = self.asked(path)
        try await service.renew(0..<1, period: period)
        await eventually { self.asked(path) > told }
    }

    /// Until `one` was told of twenty in a row, and `other` of none of them.
    func renewUntilOnlyOneIsAsked(
        _ service: SubscriptionService, periods: PartialRangeFrom<Int>, _ one: String, not other: String
    ) async throws {
        var (asked, inARow) = (self.asked(other), 0)
        for period in periods {
            try await self.renewAndWait(service, period: period, at: one)
            inARow = self.asked(other) > asked ? 0 : inARow + 1
            asked = self.asked(other)
            guard inARow < 20 else { return }
        }
    }

    /// Until so many attempts have failed of what an endpoint is still to get, and the node has saved that. An event that
    /// was never refused counts once.
    func untilFailed(_ endpoint: WebhookEndpoint, _ count: Int) async throws {
        try await eventually {
            let windows = try await self.node.store.bookmarks(
                startingWith: "webhook-cursor/\(endpoint.id)/", after: nil, limit: 100)
            // Ten bytes for each event behind the head of a window; the second says how often it was refused.
            return windows.reduce(0) { sum, note in
                stride(from: 49, to: note.value.count, by: 10).reduce(sum) { $0 + max(1, Int(note.value[$1 + 1])) }
            } == count
        }
    }
}
