package import AppStore
package import ServiceContract
package import Subscriptions

/// What a node has found out by asking Apple, since it started.
package struct ReconciliationReport: Hashable, Sendable {
    /// A subscription that differed from Apple's answer, and agrees now.
    package struct Example: Hashable, Sendable {
        package var key: StreamKey
        package var reason: AskReason
        package var kind: DriftKind
        /// nil when it had not been known.
        package var before: LifecycleState?
        package var after: LifecycleState
        package var at: Moment
    }

    /// A walk over all subscriptions of the node's shards.
    package struct Sweep: Hashable, Sendable {
        package var checked = 0
        package var repaired = 0
        package var started: Moment
        /// nil while it goes on.
        package var ended: Moment?
    }

    /// How far what is answered here is from what Apple says, as the sweep finds it. Apple is asked on other occasions
    /// where a difference is likely; a sweep comes to everybody in turn.
    package struct Drift: Hashable, Sendable {
        /// The subscriptions that were compared last, `limit` at most.
        package var sampled = 0
        /// Those of them that had differed; they agree since.
        package var different = 0

        package static let limit = 100
    }

    /// One app in one environment.
    package struct Account: Hashable, Sendable {
        package enum State: String, Sendable, CaseIterable {
            /// Another node sees to the history of this account.
            case elsewhere
            /// Nothing that Apple sent is missing.
            case covered
            /// A gap is being read from Apple's history.
            case recovering
            /// Apple refuses the credentials.
            case unauthorized
            /// Apple cannot be reached, or does not answer.
            case unreachable
        }

        package var account: ServerAPIAccount
        package var state = State.elsewhere
        /// Up to when nothing is missing; nil until it is known.
        package var coveredUntil: Moment?
        /// One sentence for people.
        package var lastError: String?
        /// Notifications that Apple could not deliver, by Apple's `sendAttemptResult` of the last attempt.
        package var failedDeliveries: [String: Int] = [:]
        /// Requests that may be sent at once, by endpoint.
        package var budget: [ServerAPIEndpoint: Double] = [:]

        init(_ account: ServerAPIAccount) { self.account = account }
    }

    /// `node.id`.
    package var node: String
    package var since: Moment
    package var asOf: Moment
    /// Subscriptions compared with Apple's answer.
    package var checked: Int
    package var equal: Int
    package var repaired: Int
    package var reasons: [AskReason: Int]
    package var kinds: [DriftKind: Int]
    /// The newest ones, the newest first; 20 at most.
    package var examples: [Example]
    package var drift = Drift()
    package var lastSweep: Sweep?
    package var sweepUnderWay: Sweep?
    /// Subscriptions about which Apple will be asked.
    package var awaiting: Int
    package var accounts: [Account]
}
