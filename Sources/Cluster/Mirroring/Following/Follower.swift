package import Logging
import Metrics
import Synchronization
package import WireProtocol
package import ZeroMQ

/// Follows the streams of one or more nodes of a store, on a thread of its own, and tells a sink. Connections that break
/// are made again; what is lost is asked for.
package final class Follower: Sendable {
    private struct State {
        var sources: Set<StreamSource>
        var isStopping = false
    }

    /// Makes the sink for the first store that is heard of; nil to have nothing to do with it.
    package typealias SinkMaker = @Sendable (StreamOrigin, _ shardCount: Int) -> (any StreamSink)?
    /// Says where to begin with that store.
    package typealias StartMaker = @Sendable (StreamOrigin) -> FollowingStart

    let keys: CurveKeyPair
    let makeSink: SinkMaker
    let start: StartMaker
    let withCustomers: Bool
    let logger: Logger
    private let reactor: Reactor
    private let state: Mutex<State>
    private let gaps = Counter(label: "perennial_stream_gap_total")

    /// Opens nothing yet.
    /// - Parameters:
    ///   - keys: the public key has to be listed at the sources.
    ///   - withCustomers: what answers by customer need comes along.
    package init(
        _ sources: Set<StreamSource> = [], keys: CurveKeyPair, withCustomers: Bool = false, logger: Logger,
        from start: @escaping StartMaker = { _ in .everything }, sink: @escaping SinkMaker
    ) throws(ZeroMQError) {
        self.keys = keys
        self.withCustomers = withCustomers
        self.makeSink = sink
        self.start = start
        self.logger = logger
        self.reactor = try Reactor()
        self.state = Mutex(State(sources: sources))
    }

    /// Follows these from now on. What was heard from others stays.
    package func follow(_ sources: Set<StreamSource>) {
        let isNews = self.state.withLock { state in
            defer { state.sources = sources }
            return state.sources != sources
        }
        if isNews { self.reactor.wakeUp.ring() }
    }

    /// Until it is cancelled, or stopped. To be called once.
    package func run() async throws(ZeroMQError) {
        let result: Result<Void, ZeroMQError> = await withTaskCancellationHandler {
            do throws(ZeroMQError) {
                try await self.reactor.run { () throws(ZeroMQError) in try FollowerProgram(self) }
                return .success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            self.stop()
        }
        try result.get()
    }

    /// Ends `run()`, now or as soon as it begins.
    package func stop() {
        self.state.withLock { $0.isStopping = true }
        self.reactor.wakeUp.ring()
    }

    var isStopping: Bool { self.state.withLock(\.isStopping) }
    var sources: Set<StreamSource> { self.state.withLock(\.sources) }

    func missed() { self.gaps.increment() }
}
