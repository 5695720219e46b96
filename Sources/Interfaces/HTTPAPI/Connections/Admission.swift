import AppStore
import NIOCore
import ServiceLifecycle
import Synchronization

/// Counts what one listener has in hand, so that nothing grows without bound.
package final class Admission: Sendable {
    let limits: Configuration.Limits
    let connections: ConnectionRoster
    let largeBodies: LargeBodies
    private let requests = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)
    private let refusals: Mutex<Allowance>
    /// Refusals that wait for their turn.
    private let waitingRefusals = Atomic<Int>(0)

    package init(limits: Configuration.Limits) {
        self.limits = limits
        self.connections = ConnectionRoster(limit: limits.connections)
        self.largeBodies = LargeBodies(limit: limits.largeBodyBytes)
        self.refusals = Mutex(Allowance(burst: limits.refusals, every: limits.refusalInterval))
    }

    /// For health and metrics pages.
    var requestsInFlight: Int { self.requests.load(ordering: .relaxed) }
    var openConnections: Int { self.connections.count }

    /// Does `work` as one of the requests that are worked on.
    /// - Throws: 503 when there are as many as may be.
    func asRequest<Result>(_ work: () async throws -> Result) async throws -> Result {
        guard Self.take(1, from: self.requests, upTo: self.limits.requests) else {
            throw Problem(.tooBusy, "too many requests at once")
        }
        defer { self.requests.wrappingSubtract(1, ordering: .relaxed) }
        return try await work()
    }

    /// Returns when a notification that came on `connection` and was refused may be answered: at once, unless a flood of them
    /// comes. Turns are even, since connections that are answered together come back together.
    func awaitTurnOfRefusal(on connection: any Channel) async {
        guard Self.take(1, from: self.waitingRefusals, upTo: self.limits.connections) else { return }
        defer { self.waitingRefusals.wrappingSubtract(1, ordering: .relaxed) }
        let limit = self.limits.refusalInterval * self.limits.connections
        let wait = self.refusals.withLock { $0.reserve(at: .now, within: limit) }
        guard wait > .zero else { return }
        connection.triggerUserOutboundEvent(RefusalPause(), promise: nil)
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: wait) }
    }

    /// A place for an answer that does not end by itself; nil when all are taken.
    func takeStream() -> StreamPlace? {
        Self.take(1, from: self.streams, upTo: self.limits.streams) ? StreamPlace(admission: self) : nil
    }

    /// Given back when nobody holds it any more: an answer may never come to be sent.
    final class StreamPlace: Sendable {
        private let admission: Admission

        fileprivate init(admission: Admission) { self.admission = admission }

        deinit { self.admission.streams.wrappingSubtract(1, ordering: .relaxed) }
    }

    private static func take(_ amount: Int, from counter: borrowing Atomic<Int>, upTo limit: Int) -> Bool {
        guard counter.wrappingAdd(amount, ordering: .relaxed).newValue > limit else { return true }
        counter.wrappingSubtract(amount, ordering: .relaxed)
        return false
    }
}
