import Foundation
import StrictJSON
package import Subscriptions
package import Waiting

/// Every call: `.refused` without an HTTP status when an id cannot be one, and then nothing was sent.
extension ServerAPIClient {
    /// Get All Subscription Statuses.
    /// - Parameters:
    ///   - anyTransactionID: any transactionId, originalTransactionId or appTransactionId of the customer.
    ///   - statuses: only subscriptions with one of these; empty for all.
    package func subscriptionStatuses(
        of anyTransactionID: String, statuses: [AppleStatus] = [], urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> SubscriptionStatuses {
        let id = try anyTransactionID.pathSegment("the transaction id")
        let call = ServerAPICall(
            .statuses, .get, "/inApps/v1/subscriptions/\(id)",
            query: statuses.map { (name: "status", value: String($0.rawValue)) })
        return try await self.perform(call, urgency, SubscriptionStatuses.init(json:))
    }

    /// Get Transaction Info.
    /// - Parameter transactionID: an appTransactionId is refused.
    /// - Returns: the signed transaction.
    package func transactionInfo(
        _ transactionID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> SignedString {
        let id = try transactionID.pathSegment("the transaction id")
        let call = ServerAPICall(.transactionInfo, .get, "/inApps/v1/transactions/\(id)")
        return try await self.perform(call, urgency) { body throws(AnswerProblem) in
            try SignedString(member: "signedTransactionInfo", of: body)
        }
    }

    /// Get App Transaction Info.
    /// - Returns: the signed app transaction.
    package func appTransaction(
        of anyTransactionID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> SignedString {
        let id = try anyTransactionID.pathSegment("the transaction id")
        let call = ServerAPICall(.appTransaction, .get, "/inApps/v1/transactions/appTransactions/\(id)")
        return try await self.perform(call, urgency) { body throws(AnswerProblem) in
            try SignedString(member: "signedAppTransactionInfo", of: body)
        }
    }

    /// Finish Transaction.
    package func finishTransaction(
        _ transactionID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) {
        let id = try transactionID.pathSegment("the transaction id")
        let call = ServerAPICall(.finishTransaction, .post, "/inApps/v1/transactions/\(id)/finish")
        try await self.perform(call, urgency, AnswerProblem.readNothing)
    }

    /// Set App Account Token: for this subscription's current and later transactions, in place of an earlier one.
    /// - Parameter token: a UUID, as text.
    package func setAppAccountToken(
        _ token: String, of originalTransactionID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) {
        let id = try originalTransactionID.pathSegment("the transaction id")
        guard UUID(uuidString: token) != nil else {
            throw ServerAPIError(.refused, "an app account token is a UUID")
        }
        let call = ServerAPICall(.setAppAccountToken, .put, "/inApps/v1/transactions/\(id)/appAccountToken") {
            $0.member("appAccountToken", token)
        }
        try await self.perform(call, urgency, AnswerProblem.readNothing)
    }

    /// Look Up Order ID. Production only.
    package func lookUpOrder(
        _ orderID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> OrderLookUp {
        let id = try orderID.pathSegment("the order id")
        return try await self.perform(
            ServerAPICall(.orderLookUp, .get, "/inApps/v1/lookup/\(id)"), urgency, OrderLookUp.init(json:))
    }

    /// Send Consumption Information, within 12 hours after a CONSUMPTION_REQUEST.
    /// - Throws: also `.refused`, with nothing sent, when the customer has not consented or the percentage cannot be.
    package func sendConsumption(
        _ information: ConsumptionInformation, for transactionID: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) {
        let id = try transactionID.pathSegment("the transaction id")
        try information.check()
        let call = ServerAPICall(.consumption, .put, "/inApps/v2/transactions/consumption/\(id)") {
            $0.member("customerConsented", information.customerConsented)
            $0.member("deliveryStatus", information.deliveryStatus.rawValue)
            $0.member("sampleContentProvided", information.sampleContentProvided)
            $0.member("consumptionPercentage", ifPresent: information.consumptionPercentage)
            $0.member("refundPreference", ifPresent: information.refundPreference?.rawValue)
        }
        try await self.perform(call, urgency, AnswerProblem.readNothing)
    }
}

extension ConsumptionInformation {
    fileprivate func check() throws(ServerAPIError) {
        guard self.customerConsented else {
            throw ServerAPIError(.refused, "nothing is sent about a customer who has not consented")
        }
        guard let percentage = self.consumptionPercentage else { return }
        guard (0...100_000).contains(percentage), percentage == 0 || self.deliveryStatus == .delivered else {
            throw ServerAPIError(
                .refused, "consumptionPercentage is 0 to 100000 thousandths of a percent, and 0 unless delivered")
        }
    }
}
