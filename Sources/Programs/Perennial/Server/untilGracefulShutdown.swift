import ServiceLifecycle

/// Runs `body` until it ends or is cancelled by a graceful shutdown, which is how it is meant to end.
func untilGracefulShutdown(_ body: @escaping @Sendable () async throws -> Void) async throws {
    do {
        try await cancelWhenGracefulShutdown(body)
    } catch is CancellationError {}
}
