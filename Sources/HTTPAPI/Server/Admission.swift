import Synchronization

/// Counts what one listener has in hand, so that nothing grows without bound. Each `take` that succeeds is followed by
/// one `release`.
package final class Admission: Sendable {
    let limits: Configuration.Limits
    private let connections = Atomic<Int>(0)
    private let requests = Atomic<Int>(0)
    private let bodyBytes = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)

    package init(limits: Configuration.Limits) { self.limits = limits }

    /// For health and metrics pages.
    var requestsInFlight: Int { self.requests.load(ordering: .relaxed) }
    var openConnections: Int { self.connections.load(ordering: .relaxed) }

    /// Connections are counted whether or not they are within the bound: the surplus one gets an answer too.
    func openConnection() -> Bool {
        self.connections.wrappingAdd(1, ordering: .relaxed).newValue <= self.limits.connections
    }

    func closeConnection() {
        self.connections.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Does `work` as one of the requests that are worked on.
    /// - Throws: 503 when there are as many as may be.
    func asRequest<Result>(_ work: () async throws -> Result) async throws -> Result {
        guard Self.take(1, from: self.requests, upTo: self.limits.requests) else {
            throw Problem(.tooBusy, "too many requests at once")
        }
        defer { self.requests.wrappingSubtract(1, ordering: .relaxed) }
        return try await work()
    }

    func takeBody(bytes: Int) -> Bool { Self.take(bytes, from: self.bodyBytes, upTo: self.limits.bodyBytes) }

    func releaseBody(bytes: Int) {
        self.bodyBytes.wrappingSubtract(bytes, ordering: .relaxed)
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
