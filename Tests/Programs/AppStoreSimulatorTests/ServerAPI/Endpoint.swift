import Foundation
import Hummingbird
import NIOCore
import PerennialTestSupport
import Synchronization

/// A publisher's endpoint that keeps what comes, and refuses while it is told to.
final class Endpoint: Sendable {
    private struct Contents {
        var payloads: [String: String] = [:]
        var isRefusing = false
    }

    private let contents = Mutex(Contents())

    /// By `notificationUUID`: what was accepted.
    var payloads: [String: String] { self.contents.withLock { $0.payloads } }

    var isRefusing: Bool {
        get { self.contents.withLock { $0.isRefusing } }
        set { self.contents.withLock { $0.isRefusing = newValue } }
    }

    func run(_ body: (_ url: String) async throws -> Void) async throws {
        let router = Router()
        router.post("/") { request, _ in self.take(try await request.body.collect(upTo: 1 << 20)) }
        try await router.serve { try await body("\($0)/") }
    }

    private func take(_ body: ByteBuffer) -> HTTPResponse.Status {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: String],
            let payload = object["signedPayload"],
            let uuid = try? DecodedNotification.payload(payload)["notificationUUID"] as? String
        else { return .badRequest }
        return self.contents.withLock { contents in
            guard !contents.isRefusing else { return .serviceUnavailable }
            contents.payloads[uuid] = payload
            return .ok
        }
    }
}
