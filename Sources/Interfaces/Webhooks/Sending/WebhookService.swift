package import EventLog
package import Logging
import Metrics
package import Queries
import ServiceLifecycle
package import Shards
import Subscriptions

/// Keeps a courier for each endpoint, on every node of the store: each delivers what happens in the shards of its node.
package struct WebhookService: Service {
    private static let interval = Duration.seconds(1)

    private let shelf: WebhookStore
    private let context: WebhookDispatcher.Context
    private let nodeClock: any WallClock

    /// - Parameters:
    ///   - nodeClock: by which commits are dated.
    ///   - clock: of the machine, which receivers hold deliveries against.
    ///   - render: makes the body of a change that is told as a type.
    package init(
        store: any EventStore, log: ServedLog, transport: any WebhookTransport, nodeClock: any WallClock,
        clock: any WallClock, logger: Logger, render: @escaping @Sendable (ChangeView, _ type: String) -> [UInt8]
    ) {
        self.shelf = WebhookStore(store: store)
        self.context = WebhookDispatcher.Context(
            log: log, store: store, transport: transport, render: render, clock: clock, logger: logger)
        self.nodeClock = nodeClock
    }

    /// Until a graceful shutdown or cancellation; what was on its way then is sent again later.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                var couriers: [String: (courier: WebhookDispatcher, stop: AsyncStream<Never>.Continuation)] = [:]
                var damaged: Set<String> = []
                let lag = Gauge(label: "perennial_webhook_lag_seconds")
                while !Task.isCancelled {
                    // Before the endpoints are read: one that was disabled may be enabled again by then.
                    for (id, running) in couriers where await running.courier.hasEnded { couriers[id] = nil }
                    if let found = try? await self.shelf.endpoints() {
                        self.complain(of: Set(found.damaged).subtracting(damaged))
                        damaged = Set(found.damaged)
                        let endpoints = found.readable.filter { $0.disabled == nil }
                        let wanted = Set(endpoints.map(\.id))
                        for (id, running) in couriers where !wanted.contains(id) {
                            running.stop.finish()
                            couriers[id] = nil
                        }
                        for endpoint in endpoints {
                            if let running = couriers[endpoint.id] {
                                await running.courier.update(endpoint)
                            } else {
                                couriers[endpoint.id] = self.start(endpoint, in: &group)
                            }
                        }
                    }
                    lag.record(await self.lag(of: couriers.values.map(\.courier)))
                    try? await Task.sleep(for: Self.interval)
                }
            }
        }
    }

    private func complain(of damaged: Set<String>) {
        for id in damaged {
            self.context.logger.error("A webhook endpoint cannot be read", metadata: ["endpoint": "\(id)"])
        }
    }

    private func start(
        _ endpoint: WebhookEndpoint, in group: inout DiscardingTaskGroup
    ) -> (WebhookDispatcher, AsyncStream<Never>.Continuation) {
        let courier = WebhookDispatcher(endpoint, self.context)
        let (stopped, stop) = AsyncStream<Never>.makeStream()
        group.addTask {
            // Whichever ends first ends the other.
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await courier.run() }
                group.addTask { for await _ in stopped {} }
                await group.next()
                group.cancelAll()
            }
        }
        return (courier, stop)
    }

    /// Of the event that has waited longest, in seconds.
    private func lag(of couriers: [WebhookDispatcher]) async -> Double {
        var oldest: Int64?
        for courier in couriers {
            if let age = await courier.oldest { oldest = min(oldest ?? age, age) }
        }
        return oldest.map { max(0, Double(self.nodeClock.now.milliseconds - $0) / 1_000) } ?? 0
    }
}
