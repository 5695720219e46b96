package import Subscriptions

/// At most twenty notifications that Apple has sent or tried to send, oldest first.
package struct NotificationHistoryPage: Hashable, Sendable, AnswerPage {
    package var items: [SentNotification] = []
    package var hasMore = false
    package var paginationToken: String?

    package init() {}

    package var isEmpty: Bool { self.items.isEmpty }
    package var nextPage: String? { self.paginationToken }
}

/// A notification as it was when its event happened, and how its delivery went.
package struct SentNotification: Hashable, Sendable {
    package var signedPayload: SignedString
    package var attempts: [Attempt]

    package init(signedPayload: SignedString, attempts: [Attempt] = []) {
        self.signedPayload = signedPayload
        self.attempts = attempts
    }

    /// The newest one, whatever the order in which Apple lists them.
    package var lastAttempt: Attempt? {
        self.attempts.max { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) }
    }

    package struct Attempt: Hashable, Sendable {
        package var date: Moment?
        /// Apple's `sendAttemptResult`, unknown ones too; empty when there was none.
        package var result: String

        package init(date: Moment?, result: String) {
            self.date = date
            self.result = result
        }
    }
}

/// How a test notification fared.
package struct TestNotificationStatus: Hashable, Sendable {
    package var signedPayload: SignedString?
    package var attempts: [SentNotification.Attempt] = []

    package init() {}
}
