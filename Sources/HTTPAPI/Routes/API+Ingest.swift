import AppStore
import Hummingbird
import JSONScanning
import SubscriptionRuntime

/// What comes in.
extension API {
    /// The answer says no more than that the notification is durable, whatever became of it.
    func receiveNotification(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            _ = try await self.service.ingest(signedPayload: try NotificationBody(body).signedPayload)
            return .json(reserving: 2) { $0.object { _ in } }
        }
    }

    func receiveTransaction(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedTransaction(body)
            let view = try await self.service.record(
                signedTransaction: posted.signedTransaction, signedRenewalInfo: posted.signedRenewalInfo,
                customerID: posted.customerID)
            return .json { view.write(to: &$0) }
        }
    }
}
