import EventLog
package import Logging
import Metrics
package import Mirroring
import Queries
import ServiceContract
import ServiceLifecycle
package import SubscriptionService
import WireProtocol
package import ZeroMQ

/// Keeps a node's mirror: finds the streams of all nodes that share the store, its own among them, and follows them.
package struct NodeMirror: Service {
    private let mirror: EntitlementMirror
    private let follower: Follower
    private let publisher: Publisher
    private let service: SubscriptionService
    private let advertisedHost: String?
    private let logger: Logger

    /// - Parameters:
    ///   - publisher: of this node; its keys are those that it follows the others with.
    ///   - service: which answers from `mirror`.
    ///   - advertisedHost: under which others reach the publisher, when that is not the one that it is bound to.
    /// - Throws: when the system has no descriptor left.
    package init(
        _ mirror: EntitlementMirror, publisher: Publisher, of service: SubscriptionService, advertisedHost: String?,
        logger: Logger
    ) throws(ZeroMQError) {
        let origin = service.servedLog.origin
        self.mirror = mirror
        self.publisher = publisher
        self.service = service
        self.advertisedHost = advertisedHost
        self.logger = logger
        let sink = service.following(mirror)
        self.follower = try Follower(keys: publisher.configuration.keys, logger: logger) { other, _ in
            // A node that was configured with another store speaks of other subscriptions.
            other.storeID == origin.storeID ? sink : nil
        }
        sink.begin()
    }

    private static let interval = Duration.seconds(1)

    /// Until a graceful shutdown or cancellation.
    /// - Throws: `ZeroMQError` when the system has no sockets left.
    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            guard let endpoints = await self.publisher.endpoints() else { return }
            let address = StreamAddress(self.source(of: endpoints))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.follower.run() }
                group.addTask { await self.meet(as: address) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func source(of endpoints: Publisher.Endpoints) -> StreamSource {
        var source = StreamSource(
            endpoint: endpoints.stream, serverKey: self.publisher.configuration.keys.publicKey)
        if let host = self.advertisedHost, let port = endpoints.stream.lastIndex(of: ":") {
            source.endpoint = "tcp://\(host)\(endpoints.stream[port...])"
        }
        return source
    }

    /// Tells the others where this node's stream is, and learns where theirs are.
    private func meet(as address: StreamAddress) async {
        let staleness = Gauge(label: "perennial_mirror_staleness_seconds")
        var isFailing = false
        while !Task.isCancelled {
            do throws(ServiceError) {
                try await self.meet(address)
                isFailing = false
            } catch {
                // Those that are known are followed on.
                if !isFailing, !Task.isCancelled {
                    self.logger.warning(
                        "The streams of other nodes cannot be looked up", metadata: ["error": "\(error.message)"])
                }
                isFailing = true
            }
            staleness.record(self.mirror.age(at: .now) / .seconds(1))
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func meet(_ address: StreamAddress) async throws(ServiceError) {
        let directory = self.service.streamDirectory
        let addresses = try await directory.addresses()
        if addresses[directory.node] != address.bytes { try await directory.publish(address.bytes) }
        let sources = Set(addresses.values.compactMap { StreamAddress($0)?.source } + [address.source])
        self.publisher.admit(Set(sources.map(\.serverKey)))
        self.follower.follow(sources)
    }
}
