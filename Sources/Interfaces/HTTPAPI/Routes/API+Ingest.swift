import Hummingbird
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

/// What comes in.
extension API {
    /// The answer says no more than that the notification is durable, whatever became of it.
    func receiveNotification(_ call: Call) async throws -> Response {
        do {
            return try await call.withBody { body in
                _ = try await self.service.ingest(body: body)
                return .json(reserving: 2) { $0.object { _ in } }
            }
        } catch {
            // Anybody may send here. By now the body is gone, and the request counts no more. What is genuine waits for nobody.
            if (error as? ServiceError)?.code.saysPayloadIsGenuine != true {
                await call.admission.awaitTurnOfRefusal(on: call.connection)
            }
            throw error
        }
    }

    func receiveTransaction(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let posted = try PostedTransaction(body)
            let actor = self.authorizer.name(of: call.fields)
            do throws(ServiceError) {
                let view = try await self.service.record(
                    signedTransaction: posted.signedTransaction, signedRenewalInfo: posted.signedRenewalInfo,
                    link: posted.customer.map {
                        LinkRequest($0, origin: posted.restores ? .restore : .post, actor: actor)
                    })
                return .json { view.write(to: &$0) }
            } catch {
                guard error.code == .linkedElsewhere || error.code == .tooManySharers else { throw error }
                var problem = Problem(error)
                problem.isRecorded = true
                throw problem
            }
        }
    }
}
