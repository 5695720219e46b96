package import Subscriptions
import Synchronization
import Waiting

/// What one account may send, endpoint by endpoint: Apple counts per app and endpoint, and over the whole cluster.
package final class RequestBudget: Sendable {
    private struct State {
        var buckets: [ServerAPIEndpoint: TokenBucket] = [:]
        var lastTicket: TokenBucket.Ticket = 0
    }

    /// For an endpoint whose limit nobody knows.
    private static let cautiousLimit = 1.0
    private static let smallestShare = 0.001
    /// Per second; keeps waiting times finite.
    private static let slowest = 0.000_1

    private let limits: [ServerAPIEndpoint: Double]
    private let share: Double
    private let time: ServerAPITime
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limits: requests per second; one per second for an endpoint that is missing.
    ///   - share: the part of them that is ours to use, 0…1.
    package init(limits: [ServerAPIEndpoint: Double], share: Double, time: ServerAPITime = .system) {
        self.limits = limits
        self.share = min(1, max(Self.smallestShare, share))
        self.time = time
        self.state = Mutex(State())
        self.divide(by: 1)
    }

    /// Apple's documented limits (Identifying rate limits), per second; a tenth in Sandbox. Apple may change them, and
    /// does not name the status of a mass extension.
    package static func appleLimits(in environment: AppStoreEnvironment) -> [ServerAPIEndpoint: Double] {
        var limits: [ServerAPIEndpoint: Double] = [:]
        for endpoint in ServerAPIEndpoint.allCases {
            let production: Double =
                switch endpoint {
                case .statuses, .transactionInfo, .transactionHistory, .appTransaction, .finishTransaction,
                    .consumption, .notificationHistory:
                    50
                case .extendRenewalDate, .setAppAccountToken: 20
                case .orderLookUp, .refundHistory: 10
                case .massExtension, .massExtensionStatus, .requestTest, .testStatus: 1
                }
            limits[endpoint] = environment == .production ? production : production / 10
        }
        return limits
    }

    /// The number of nodes that share the budget has changed: this one may use its part of it.
    package func divide(by liveNodes: Int) {
        let now = self.time.elapsed()
        self.state.withLock { state in
            for endpoint in ServerAPIEndpoint.allCases {
                let limit = self.limits[endpoint] ?? Self.cautiousLimit
                let rate = max(Self.slowest, limit * self.share / Double(max(1, liveNodes)))
                if state.buckets[endpoint]?.setRate(rate, at: now) == nil {
                    state.buckets[endpoint] = TokenBucket(rate: rate, at: now)
                }
            }
        }
    }

    /// How many requests could be sent at once.
    package func remaining(_ endpoint: ServerAPIEndpoint) -> Double {
        let now = self.time.elapsed()
        return self.withBucket(endpoint) { $0.remaining(at: now) }
    }

    /// Waits until a request may be sent.
    /// - Throws: `.rateLimited` at once when its turn cannot come within `limit`; `.cancelled`.
    func take(
        _ endpoint: ServerAPIEndpoint, _ urgency: RequestUrgency, within limit: Duration, now: Moment
    ) async throws(ServerAPIError) {
        let deadline = self.time.elapsed() + limit
        let ticket = self.state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        var turn = self.withBucket(endpoint) { $0.join(ticket, urgency, at: self.time.elapsed()) }
        while case .wait(let wait) = turn {
            guard self.time.elapsed() + wait < deadline else {
                self.withBucket(endpoint) { $0.leave(ticket) }
                throw ServerAPIError(
                    .rateLimited, "the request budget is used up", retryAfter: now + Milliseconds(wait))
            }
            await self.time.sleep(wait)
            guard !Task.isCancelled else {
                self.withBucket(endpoint) { $0.leave(ticket) }
                throw .cancelled
            }
            turn = self.withBucket(endpoint) { $0.ask(ticket, at: self.time.elapsed()) }
        }
    }

    /// Apple wants to hear nothing for a while.
    package func close(_ endpoint: ServerAPIEndpoint, for pause: Milliseconds) {
        let now = self.time.elapsed()
        self.withBucket(endpoint) { $0.close(until: now + .milliseconds(pause.rawValue), at: now) }
    }

    private func withBucket<Value: Sendable>(
        _ endpoint: ServerAPIEndpoint, _ body: (inout TokenBucket) -> Value
    ) -> Value {
        self.state.withLock { state in
            guard var bucket = state.buckets.removeValue(forKey: endpoint) else {
                preconditionFailure("every endpoint has a bucket from the start")
            }
            defer { state.buckets[endpoint] = bucket }
            return body(&bucket)
        }
    }
}

extension Milliseconds {
    /// Rounded up.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let rest: Int64 = 999_999_999_999_999
        self.init(rawValue: seconds * 1_000 + (attoseconds + rest) / 1_000_000_000_000_000)
    }
}
