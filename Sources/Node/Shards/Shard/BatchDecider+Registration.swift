import Customers
import EventLog
import ServiceContract
import Subscriptions

/// Whose an identifier is.
extension BatchDecider {
    mutating func decideRegistration(
        _ request: RegistrationRequest, _ dedupKey: [UInt8], of command: Command
    ) throws -> SubmissionOutcome {
        let before = self.entry(of: command)
        guard before.publisher?.identifier != nil else {
            return .refused(.invalidRequest, message: "the stream is not an identifier's")
        }
        if let earlier = self.delivery(of: dedupKey) { return .duplicate(earlier.place) }
        guard request.version == before.version.rawValue else {
            let error = ServiceError(CustomerRefusal.customerMoving)
            return .refused(error.code, message: error.message)
        }
        return try self.append(
            SubscriptionEvent(
                source: .person, changes: [request.registration.change], registration: request.registration),
            to: before, dedupKey, command)
    }
}
