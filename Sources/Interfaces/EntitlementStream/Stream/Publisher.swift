package import EventLog
import Metrics
package import Queries
import Shards
import Synchronization
package import WireProtocol
package import ZeroMQ

/// Tells subscribers what has become durable in the shards of this node, and answers what they ask to fill gaps. The
/// protocol is in `proto/perennial/v1/stream.proto`. Commits never wait for it and never fail because of it.
package final class Publisher: ChangeListener {
    /// Where it listens.
    package struct Endpoints: Hashable, Sendable {
        package var stream: String
        package var service: String
    }

    /// A page that somebody has asked for.
    struct Question: Sendable {
        var identity: [UInt8]
        var request: StreamRequest
    }

    let configuration: StreamConfiguration
    let outbox: StreamOutbox
    private let reactor: Reactor
    private let budget: Mutex<RequestBudget>
    private let probePace: Mutex<RequestPace>
    private let peers = Mutex<Set<[UInt8]>>([])
    private let questions: (stream: AsyncStream<Question>, continuation: AsyncStream<Question>.Continuation)
    private let unknown: (stream: AsyncStream<[ShardID]>, continuation: AsyncStream<[ShardID]>.Continuation)
    private let bound: (stream: AsyncStream<Endpoints>, continuation: AsyncStream<Endpoints>.Continuation)
    private let dropped = Counter(label: "perennial_stream_dropped_total")

    /// Opens no socket yet.
    package init(_ configuration: StreamConfiguration) throws(ZeroMQError) {
        self.configuration = configuration
        self.reactor = try Reactor()
        self.outbox = StreamOutbox(limit: configuration.waitingDeltas)
        self.budget = Mutex(
            RequestBudget(
                underWay: configuration.pagesUnderWay, rate: configuration.pagesPerSecond,
                burst: configuration.pageBurst))
        self.probePace = Mutex(RequestPace(rate: configuration.probesPerSecond, burst: configuration.probeBurst))
        self.questions = AsyncStream.makeStream()
        self.unknown = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.bound = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The nodes of the store do not need it.
    package var wantsCustomers: Bool { !self.configuration.subscribers.isEmpty }

    package func hear(_ deltas: [StreamDelta], of shard: ShardID) {
        let lost = self.outbox.put(StreamOutbox.Changes(shard: shard, deltas: deltas))
        if lost > 0 { self.dropped.increment(by: lost) }
        self.reactor.wakeUp.ring()
    }

    /// Lets in who holds one of these public keys, too: the nodes of the same store.
    package func admit(_ peers: Set<[UInt8]>) { self.peers.withLock { $0 = peers } }

    // MARK: Life cycle

    /// Binds, publishes and answers until it is cancelled. To be called once.
    /// - Throws: `ZeroMQError` when it cannot bind.
    package func run(serving log: ServedLog) async throws {
        defer { self.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await self.reactor.run { () throws(ZeroMQError) in try StreamProgram(self, log) }
            }
            group.addTask { await self.answer(from: log) }
            group.addTask {
                for await shards in self.unknown.stream { await log.learn(shards) }
            }
            // Whichever ends first ends all.
            let end = await withTaskCancellationHandler {
                await group.nextResult()
            } onCancel: {
                self.stop()
            }
            self.stop()
            try await group.waitForAll()
            try end?.get()
        }
    }

    private func stop() {
        self.outbox.close()
        self.questions.continuation.finish()
        self.unknown.continuation.finish()
        self.bound.continuation.finish()
        self.reactor.wakeUp.ring()
    }

    /// Where it listens, once it does; nil when it stops before. To be asked once.
    package func endpoints() async -> Endpoints? {
        for await endpoints in self.bound.stream { return endpoints }
        return nil
    }

    // MARK: Pages

    private func answer(from log: ServedLog) async {
        await withDiscardingTaskGroup { group in
            // The budget says how many there are at a time.
            for await question in self.questions.stream {
                group.addTask {
                    let content = await self.page(question.request, from: log)
                    self.budget.withLock { $0.finish() }
                    self.reply(StreamAnswer(id: question.request.id, content), to: question.identity)
                }
            }
        }
    }

    private func page(_ request: StreamRequest, from log: ServedLog) async -> StreamAnswer.Content {
        do throws(StreamFailure) {
            switch request.content {
            case .snapshot(let shard, let after, let limit):
                return .snapshot(
                    try await log.snapshot(
                        of: shard, after: after, limit: self.limit(limit), withCustomers: request.withCustomers))
            case .changes(let shard, let after, let limit):
                return .changes(
                    try await log.changes(
                        of: shard, after: after, limit: self.limit(limit), withCustomers: request.withCustomers))
            case .rules: return .rules(log.rules)
            case .probe: return .failure(StreamFailure(.malformed))
            }
        } catch {
            return .failure(error)
        }
    }

    private func limit(_ asked: UInt32) -> Int {
        asked == 0 ? self.configuration.pageLimit : min(Int(asked), self.configuration.pageLimit)
    }

    private func reply(_ answer: StreamAnswer, to identity: [UInt8]) {
        self.outbox.put(StreamOutbox.Answer(identity: identity, bytes: answer.encoded()))
        self.reactor.wakeUp.ring()
    }
}

// MARK: On the reactor's thread

extension Publisher {
    /// nil for a key that is not listed.
    func user(of key: [UInt8]) -> String? {
        self.configuration.subscribers[key]
            ?? self.peers.withLock { $0.contains(key) ? "node \(Z85.text(of: key) ?? "")" : nil }
    }

    /// An answer was one too many for its connection.
    func countDropped() { self.dropped.increment() }

    func listens(at endpoints: Endpoints) { self.bound.continuation.yield(endpoints) }

    /// Has the store asked about shards whose heads are not known.
    func learn(_ shards: [ShardID]) {
        if !shards.isEmpty { self.unknown.continuation.yield(shards) }
    }

    /// - Parameters:
    ///   - bytes: nil for a message that has not one part.
    ///   - isBehind: so much waits for this connection that it gets nothing large.
    ///   - beat: makes the answer to a probe.
    func receive(
        _ bytes: [UInt8]?, from identity: [UInt8], user: String?, isBehind: Bool, beat: () -> StreamBeat
    ) {
        guard let user, let bytes, let request = try? StreamRequest(decoding: bytes) else {
            return self.reply(StreamAnswer(id: 0, .failure(StreamFailure(.malformed))), to: identity)
        }
        if isBehind { return self.refuse(request, for: RequestBudget.pauseWhenBusy, to: identity) }
        if case .probe = request.content {
            // Each is answered with the heads of all shards, by the thread that everybody's deltas wait for.
            if let pause = self.probePace.withLock({ $0.take(user, at: .now) }) {
                return self.refuse(request, for: pause, to: identity)
            }
            return self.reply(StreamAnswer(id: request.id, .heads(beat())), to: identity)
        }
        if let pause = self.budget.withLock({ $0.begin(user, at: .now) }) {
            return self.refuse(request, for: pause, to: identity)
        }
        self.questions.continuation.yield(Question(identity: identity, request: request))
    }

    private func refuse(_ request: StreamRequest, for pause: Duration, to identity: [UInt8]) {
        let milliseconds = UInt32(clamping: Int((pause / .milliseconds(1)).rounded(.up)))
        let failure = StreamFailure(.busy, retryAfter: max(1, milliseconds))
        self.reply(StreamAnswer(id: request.id, .failure(failure)), to: identity)
    }
}
