/// A call of the App Store Server API; each has a budget of its own. The raw value is its label in metrics.
package enum ServerAPIEndpoint: String, CaseIterable, Sendable {
    case statuses, transactionInfo, transactionHistory, appTransaction, finishTransaction, setAppAccountToken
    case orderLookUp, refundHistory, consumption, extendRenewalDate, massExtension, massExtensionStatus
    case notificationHistory, requestTest, testStatus
}
