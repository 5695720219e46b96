import EventLog
import PerennialTestSupport
import ServiceLifecycle

/// A store that holds back the first row of its quarantine until whoever asks is to stop.
final class LingeringStore: ForwardingStore {
    let inner: any EventStore
    private let beginning: AsyncStream<Void>.Continuation

    /// - Parameter beginning: told when somebody waits.
    init(_ inner: any EventStore, _ beginning: AsyncStream<Void>.Continuation) {
        self.inner = inner
        self.beginning = beginning
    }

    func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        if id == 0 {
            self.beginning.yield()
            while !Task.isShuttingDownGracefully, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return try await self.inner.quarantined(after: id, limit: limit)
    }
}
