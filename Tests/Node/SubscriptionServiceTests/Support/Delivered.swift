import ServiceContract
import SubscriptionService

/// A payload, and what the service said to it.
struct Delivered {
    var payload: [UInt8]
    var outcome: IngestOutcome?
    var error: ServiceError?

    init(_ payload: [UInt8], to service: SubscriptionService) async {
        self.payload = payload
        do {
            self.outcome = try await service.ingest(signedPayload: payload)
        } catch {
            self.error = error
        }
    }
}
