import Subscriptions

/// The endpoints of the App Store Server API that concern purchases.
package enum StoreEndpoint: String, Sendable, CaseIterable {
    case statuses, transactionInfo, transactionHistory, appTransaction, finishTransaction, setAppAccountToken
    case orderLookUp, refundHistory, consumption, extendRenewalDate, massExtension, massExtensionStatus
    case notificationHistory, requestTest, testStatus

    /// Requests a second that Apple allows one app in production. Apple does not say it of the status of an extension of
    /// everybody; taken to be as that of the extension itself.
    var perSecond: Double {
        switch self {
        case .statuses, .transactionInfo, .transactionHistory, .appTransaction, .finishTransaction, .consumption,
            .notificationHistory:
            50
        case .extendRenewalDate, .setAppAccountToken: 20
        case .orderLookUp, .refundHistory: 10
        case .massExtension, .massExtensionStatus, .requestTest, .testStatus: 1
        }
    }
}
