package import ServiceContract

/// For a shard that has not come as far as a token: what the token names is durable, so it is a matter of moments.
package enum PositionWait {
    private static let attempts = 20
    private static let pause = Duration.milliseconds(15)

    /// - Parameter body: nil where the shard is still behind.
    /// - Throws: what `body` throws, and `.frozen` when it takes too long.
    package static func wait<Value>(
        until body: () async throws(ServiceError) -> Value?
    ) async throws(ServiceError) -> Value {
        for _ in 0..<Self.attempts {
            if let value = try await body() { return value }
            guard (try? await Task.sleep(for: Self.pause)) != nil else { break }
        }
        throw ServiceError(.frozen, "a shard has not caught up with the token")
    }
}
