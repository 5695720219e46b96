package import AppStore

/// What became of a notification that Apple was asked to send as a test.
package struct TestNotificationReport: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable {
        /// It is in the log.
        case arrived
        /// Apple has not said yet what became of it.
        case pending
        /// Apple could not deliver it.
        case failed
        /// Apple has delivered it, and not to this system: its URL leads elsewhere.
        case deliveredElsewhere
    }

    package var state: State
    /// As Apple has them.
    package var attempts: [SentNotification.Attempt]

    package init(attempts: [SentNotification.Attempt], hasArrived: Bool) {
        self.attempts = attempts
        self.state =
            if hasArrived {
                .arrived
            } else if attempts.contains(where: { $0.result == "SUCCESS" }) {
                .deliveredElsewhere
            } else if attempts.isEmpty {
                .pending
            } else {
                .failed
            }
    }

    package init(state: State, attempts: [SentNotification.Attempt]) {
        self.state = state
        self.attempts = attempts
    }
}
