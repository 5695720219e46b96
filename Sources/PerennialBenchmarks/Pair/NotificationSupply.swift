import NIOCore

/// Notifications that are handed out once each, and how they are divided among nodes.
struct NotificationSupply {
    private var rest: ArraySlice<ByteBuffer>

    init(_ traffic: NotificationTraffic) { self.rest = traffic.requests[...] }

    mutating func take(_ count: Int) -> ArraySlice<ByteBuffer> {
        precondition(count <= self.rest.count, "more notifications than have been signed")
        defer { self.rest = self.rest.dropFirst(count) }
        return self.rest.prefix(count)
    }

    /// Returns when all are answered.
    /// - Parameters:
    ///   - connections: to each node.
    ///   - pace: of all together; nil for as fast as they are answered.
    static func send(
        _ requests: ArraySlice<ByteBuffer>, to nodes: [NodeProcess], connections: Int, perSecond pace: Int? = nil
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                let own = requests.enumerated().filter { $0.offset % nodes.count == place }.map(\.element)
                let generator = LoadGenerator(port: node.port, connections: connections)
                group.addTask {
                    if let pace {
                        _ = try await generator.open(own, perSecond: pace / nodes.count)
                    } else {
                        _ = try await generator.closed(own)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
