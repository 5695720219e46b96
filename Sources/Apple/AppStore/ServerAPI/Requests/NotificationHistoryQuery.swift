package import Subscriptions

/// Which notifications are asked for, by when each was sent first.
package struct NotificationHistoryQuery: Hashable, Sendable {
    /// Within the past 180 days, in Sandbox 30.
    package var startDate: Moment
    /// In the future means now.
    package var endDate: Moment
    /// Not together with `transactionID`.
    package var notificationType: String?
    /// Only with a type.
    package var notificationSubtype: String?
    package var transactionID: String?
    /// Those that were never delivered, among them those whose retries go on.
    package var onlyFailures: Bool

    package init(
        startDate: Moment, endDate: Moment, notificationType: String? = nil, notificationSubtype: String? = nil,
        transactionID: String? = nil, onlyFailures: Bool = false
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.notificationType = notificationType
        self.notificationSubtype = notificationSubtype
        self.transactionID = transactionID
        self.onlyFailures = onlyFailures
    }
}
