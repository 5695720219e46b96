import AppStore
import Hummingbird
import SubscriptionService
import Synchronization

/// Who is at the address of delivery: somebody who takes everything, and from some time on a node.
final class Recipient: Sendable {
    private let service = Mutex<SubscriptionService?>(nil)

    func become(_ service: SubscriptionService) { self.service.withLock { $0 = service } }

    func take(_ body: [UInt8]) async -> HTTPResponse.Status {
        guard let service = self.service.withLock({ $0 }) else { return .ok }
        do {
            _ = try await service.ingest(signedPayload: try NotificationBody(body).signedPayload)
            return .ok
        } catch {
            return .serviceUnavailable
        }
    }
}
