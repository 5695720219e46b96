import EventLog
import Logging
import Mirroring
import Ownership
import Synchronization
import WireProtocol
import ZeroMQ

/// Keeps the entitlements of all subscriptions and purchases in the memory of this process, by following the streams of
/// Perennial's nodes, and answers from there: without I/O and without a lock.
///
///     let client = try PerennialClient(configuration)
///     try await withThrowingTaskGroup(of: Void.self) { group in
///         defer { group.cancelAll() }
///         group.addTask { try await client.run() }
///         try await client.untilReady()
///         let entitlement = try client.check("2000000000000001")
///     }
///
/// Connections that break are made again, and what was lost meanwhile is asked for. An answer that may be older than
/// ``Configuration/staleness`` says so (``Entitlement/isStale``), and none says that somebody is entitled beyond
/// ``Entitlement/validUntil``. Checks may be asked by any thread at any time.
public final class PerennialClient: Sendable {
    let configuration: Configuration
    let keys: CurveKeyPair
    let sources: Set<StreamSource>
    /// nil until a node has been heard of.
    let mirror: LazyMirror
    private let follower: Follower
    private let readings: (stream: AsyncStream<Reading>, continuation: AsyncStream<Reading>.Continuation)

    private struct Reading: Sendable {
        var follower: Follower
        var buffer: ChangeBuffer
    }

    /// Opens no connection yet.
    /// - Throws: ``PerennialClientError`` for an address or a key that is none.
    public init(_ configuration: Configuration) throws(PerennialClientError) {
        let mirror = LazyMirror()
        let keys = try configuration.keys()
        let sources = try configuration.sources()
        self.configuration = configuration
        self.keys = keys
        self.sources = sources
        self.mirror = mirror
        self.readings = AsyncStream.makeStream()
        self.follower = try PerennialClientError.translating { () throws(ZeroMQError) in
            try Follower(
                sources, keys: keys, withCustomers: configuration.followsCustomers, logger: configuration.logger
            ) { _, shardCount in
                mirror.make(shardCount, configuration)
            }
        }
    }

    /// Follows the nodes until it is cancelled. To be called once; changes are told while it runs.
    /// - Throws: ``PerennialClientError`` when the system has no sockets left.
    public func run() async throws {
        defer { self.readings.continuation.finish() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run(self.follower) }
            group.addTask { await self.recordMetrics() }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await reading in self.readings.stream { group.addTask { await self.run(reading) } }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func run(_ follower: Follower) async throws {
        try await PerennialClientError.translating { () async throws(ZeroMQError) in try await follower.run() }
    }

    private func run(_ reading: Reading) async {
        // The thread may be waiting for the reader.
        await withTaskCancellationHandler {
            try? await self.run(reading.follower)
        } onCancel: {
            reading.buffer.close()
        }
        reading.buffer.close()
    }

    /// Follows beside the others, into a buffer.
    func begin(_ follower: Follower, _ buffer: ChangeBuffer) {
        let reading = Reading(follower: follower, buffer: buffer)
        if case .terminated = self.readings.continuation.yield(reading) { buffer.close() }
    }

    /// Returns once all subscriptions have been copied, some seconds for a million, or when the caller is cancelled.
    public func untilReady() async throws {
        while !self.isReady { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Whether all subscriptions have been copied; and, where customers are followed, all that their answers need.
    public var isReady: Bool {
        guard let memory = self.mirror.memory else { return false }
        return memory.entitlements.map.shards.allSatisfy(memory.entitlements.hasAll)
            && memory.customers?.isReady ?? true
    }

    /// How long the owner of some subscription has not been heard of: below a second as a rule; nil before any was.
    public var staleness: Duration? { self.mirror.value?.age(at: .now) }

    /// How many subscriptions and purchases are in memory.
    public var count: Int { self.mirror.value?.count ?? 0 }
}
