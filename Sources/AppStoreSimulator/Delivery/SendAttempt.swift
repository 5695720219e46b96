package import Subscriptions

/// One try to deliver a notification, as Apple's history shows it.
package struct SendAttempt: Hashable, Sendable {
    package let date: Moment
    package let result: Result

    /// Apple's `sendAttemptResult`.
    package enum Result: String, Sendable {
        case success = "SUCCESS"
        case timedOut = "TIMED_OUT"
        case noResponse = "NO_RESPONSE"
        case socketIssue = "SOCKET_ISSUE"
        case unsuccessfulCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    }
}
