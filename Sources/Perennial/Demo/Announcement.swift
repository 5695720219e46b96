import ServiceLifecycle

/// A value that is made known once, and awaited by one.
final class Announcement<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (self.stream, self.continuation) = AsyncStream.makeStream() }

    func make(_ value: Value) { self.continuation.yield(value) }

    /// nil when a graceful shutdown or a cancellation came first.
    func value() async -> Value? {
        for await value in self.stream.cancelOnGracefulShutdown() { return value }
        return nil
    }
}
