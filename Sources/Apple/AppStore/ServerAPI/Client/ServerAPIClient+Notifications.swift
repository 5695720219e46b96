import StrictJSON
import Subscriptions
package import Waiting

extension ServerAPIClient {
    /// Get Notification History, one page.
    /// - Parameters:
    ///   - query: the same on every page.
    ///   - paginationToken: of the page before; nil for the first. Expires after a while.
    package func notificationHistory(
        _ query: NotificationHistoryQuery, paginationToken: String? = nil, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> NotificationHistoryPage {
        let call = ServerAPICall(
            .notificationHistory, .post, "/inApps/v1/notifications/history",
            query: paginationToken.map { [(name: "paginationToken", value: $0)] } ?? []
        ) { json in
            json.member("startDate", query.startDate.milliseconds)
            json.member("endDate", query.endDate.milliseconds)
            json.member("notificationType", ifPresent: query.notificationType)
            json.member("notificationSubtype", ifPresent: query.notificationSubtype)
            json.member("transactionId", ifPresent: query.transactionID)
            if query.onlyFailures { json.member("onlyFailures", true) }
        }
        return try await self.perform(call, urgency, NotificationHistoryPage.init(json:))
    }

    /// Get Notification History, page after page.
    package func notificationHistoryPages(
        _ query: NotificationHistoryQuery, after paginationToken: String? = nil, urgency: RequestUrgency = .urgent
    ) -> PageSequence<NotificationHistoryPage> {
        PageSequence(after: paginationToken) { token throws(ServerAPIError) in
            try await self.notificationHistory(query, paginationToken: token, urgency: urgency)
        }
    }

    /// Request a Test Notification.
    /// - Returns: the token under which its status can be asked for.
    package func requestTestNotification(urgency: RequestUrgency = .urgent) async throws(ServerAPIError) -> String {
        let call = ServerAPICall(.requestTest, .post, "/inApps/v1/notifications/test")
        return try await self.perform(call, urgency) { body throws(AnswerProblem) in
            try String(member: "testNotificationToken", of: body)
        }
    }

    /// Get Test Notification Status.
    /// - Throws: `.refused` with `appleCode` 4040008, `retryable`, while there is none yet.
    package func testNotificationStatus(
        _ token: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> TestNotificationStatus {
        let segment = try token.pathSegment("the test notification token")
        let call = ServerAPICall(.testStatus, .get, "/inApps/v1/notifications/test/\(segment)")
        return try await self.perform(call, urgency, TestNotificationStatus.init(json:))
    }
}
