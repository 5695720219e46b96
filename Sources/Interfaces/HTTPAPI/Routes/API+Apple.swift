import Hummingbird
import StrictJSON
import SubscriptionService
import Subscriptions

/// What Apple is asked to do.
extension API {
    /// Answers when Apple has taken the request; the notification comes later, or not.
    func requestTestNotification(_ call: Call) async throws -> Response {
        try await call.withBody { body in
            let token = try await self.service.requestTestNotification(try PostedTestNotification(body).app)
            return .json(.accepted) { json in json.object { $0.member("token", token) } }
        }
    }

    func testNotification(_ call: Call) async throws -> Response {
        let token = call.arguments[0]
        guard token.isIdentifier else {
            throw Problem.invalidParameter("testNotificationToken", "not 1 to 128 visible ASCII characters")
        }
        let report = try await self.service.testNotification(token, try call.query.app())
        return .json { report.write(to: &$0) }
    }

    /// Asks Apple now, records what is new, and shows the subscription. Who names no environment may mean either.
    func refresh(_ call: Call) async throws -> Response {
        let view = try await self.service.refresh(
            try call.query.stream(.subscription, id: call.arguments[0]),
            inEitherEnvironment: try call.query.text("environment") == nil)
        return .json { view.write(to: &$0) }
    }

    func extend(_ call: Call) async throws -> Response {
        let stream = try call.query.stream(.subscription, id: call.arguments[0])
        return try await call.withBody { body in
            let posted = try PostedExtension(body)
            let result = try await self.service.extend(
                stream, days: posted.days, reason: posted.reason, requestIdentifier: posted.requestIdentifier)
            return .json { result.write(to: &$0, requestIdentifier: posted.requestIdentifier) }
        }
    }

    func sendConsumption(about kind: StreamKind, _ call: Call) async throws -> Response {
        let stream = try call.query.stream(kind, id: call.arguments[0])
        return try await call.withBody { body in
            let posted = try PostedConsumption(body)
            try await self.service.sendConsumption(
                posted.information, about: stream, transactionID: posted.transactionID)
            return .json(.accepted, reserving: 2) { $0.object { _ in } }
        }
    }
}
