import ServiceLifecycle
import Synchronization

/// A value that is made known once, and awaited by one.
final class Announcement<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation
    private let known = Mutex<Value?>(nil)

    init() { (self.stream, self.continuation) = AsyncStream.makeStream() }

    func make(_ value: Value) {
        self.known.withLock { $0 = value }
        self.continuation.yield(value)
    }

    /// For those who do not wait.
    var made: Value? { self.known.withLock(\.self) }

    /// nil when a graceful shutdown or a cancellation came first.
    func value() async -> Value? {
        for await value in self.stream.cancelOnGracefulShutdown() { return value }
        return nil
    }
}
