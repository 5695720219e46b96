import AppStoreSimulator
import NIOCore

/// Signed notifications that are all different, as the requests in which Apple would post them.
struct NotificationTraffic: Sendable {
    /// Lives that are told together, in the order of signing.
    private static let customersPerChunk = 32
    private static let lanes = 2

    let requests: [ByteBuffer]

    /// - Parameter firstCustomer: traffic that begins at another million of customers shares nothing with this one.
    init(count: Int, authority: CertificateAuthority, firstCustomer: Int = 0) async throws {
        let factory = try LifecycleFactory(seed: 4, authority: authority)
        var requests: [ByteBuffer] = []
        var chunk = firstCustomer / Self.customersPerChunk
        while requests.count < count {
            requests += try await withThrowingTaskGroup(of: [ByteBuffer].self) { group in
                for number in chunk..<chunk + Self.lanes {
                    group.addTask { try Self.chunk(number, of: factory) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            chunk += Self.lanes
        }
        self.requests = Array(requests.prefix(count))
    }

    private static func chunk(_ number: Int, of factory: LifecycleFactory) throws -> [ByteBuffer] {
        let first = number * Self.customersPerChunk
        return try (first..<first + Self.customersPerChunk)
            .flatMap { try factory.notifications(ofCustomer: $0) }
            .sorted { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) }
            .map { notification in
                let body = Array("{\"signedPayload\":\"".utf8) + notification.signedPayload + Array("\"}".utf8)
                return ByteBuffer.post("/v1/apple/notifications", body: body)
            }
    }
}
