package import Queries
import ServiceLifecycle

/// A publisher at work: until a graceful shutdown or cancellation.
package struct StreamService: Service {
    private let publisher: Publisher
    private let log: ServedLog

    /// - Parameter log: of the service that `publisher` listens to.
    package init(_ publisher: Publisher, serving log: ServedLog) {
        self.publisher = publisher
        self.log = log
    }

    /// - Throws: `ZeroMQError` when it cannot bind.
    package func run() async throws {
        try await cancelWhenGracefulShutdown { try await self.publisher.run(serving: self.log) }
    }
}
