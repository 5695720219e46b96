import Dispatch
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// How a node ends that finds no row to beat in.
@Suite(.timeLimit(.minutes(10))) struct DeposedTests {
    private let store = InMemoryEventStore(shardCount: 16)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    /// Runs a node that owns all shards.
    /// - Returns: why it ended.
    private func end(
        on store: (any SharedEventStore)? = nil,
        after body: @escaping @Sendable (SubscriptionService) async throws -> Void
    ) async throws -> ServiceError? {
        let service = try Node(named: "a", store: store ?? self.store, apple: self.apple).service()
        return try await withThrowingTaskGroup(of: ServiceError?.self) { group in
            group.addTask {
                do { try await service.run() } catch { return error as? ServiceError }
                return nil
            }
            await eventually { (try? await service.statistics().shardsOwned) == 16 }
            try await body(service)
            return try await group.next() ?? nil
        }
    }

    /// As another node does that has not heard of it for its lease.
    private func depose() async {
        await eventually { self.store.view().nodes.first.map { self.store.depose($0) } ?? false }
    }

    @Test("a node that was taken for dead answers nothing more, and says that another run may begin")
    func isDeposed() async throws {
        // when
        let end = try await self.end { service in
            await self.depose()
            // then
            await eventually { !service.readiness(for: .reads).ready }
        }
        #expect(end?.saysRunIsDeposed == true)
        #expect(self.store.view().nodes.map(\.life) == [.deposed])
    }

    @Test("a node whose name another process has taken does not take it back")
    func isReplaced() async throws {
        // when
        let other = Incarnation(rawValue: 7)
        let end = try await self.end { [store] _ in
            _ = try store.begin(NodeRecord(id: NodeID(rawValue: "a"), incarnation: other), lease: .seconds(20))
        }
        // then
        #expect(end?.saysRunIsDeposed == false)
        #expect(end?.message == "another process has begun as node a")
        #expect(self.store.view().living.map(\.incarnation) == [other])
    }

    @Test("a node that was taken for dead while it asks what became of a commit ends by that, and not by the silence")
    func isDeposedWhileFrozen() async throws {
        // given: a store that loses the answer to a commit, and takes no shard again
        let store = UnheardStore(self.store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try self.apple.sign(life.subscribe())
        let end = try await self.end(on: store) { service in
            store.isAway = true
            async let ingest = try? service.ingest(signedPayload: payload)
            await eventually { store.claims > 0 }
            // when
            await self.depose()
            _ = await ingest
        }
        // then
        #expect(end?.saysRunIsDeposed == true)
    }
}

extension DeposedTests {
    @Test("a node answers nothing more by the time when others may hear that it leaves")
    func leaves() async throws {
        // given: somebody who asks the owner just then
        let question = LastQuestion()
        let store = LeavingStore(shared: self.store, question: question)
        // when
        try await Node(named: "a", store: store, apple: self.apple).run { service in
            question.service.withLock { $0 = service }
            #expect(await LastQuestion.isAnswered(by: service))
        }
        // then
        #expect(question.answers.withLock(\.self) == [false])
    }

    @Test("a store that is full of other things takes no signs of life, and ends nobody by that")
    func outlivesAFullStore() async throws {
        // given
        let store = UnheardStore(self.store)
        let end = try await self.end(on: store) { service in
            // when
            store.isFull = true
            await eventually { store.refusedBeats > 2 }
            store.isFull = false
            // then
            await eventually { service.readiness(for: .reads).ready }
            await self.depose()
        }
        #expect(end?.saysRunIsDeposed == true)
    }

    @Test("a node that is stopped before it can take doubtful shards again ends, and answers who waits")
    func stopsInDoubt() async throws {
        // given: a store that has forgotten who owns what, and takes no shard
        let store = UnheardStore(self.store)
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try self.apple.sign(life.subscribe())
        let waiting = try await Node(named: "a", store: store, apple: self.apple).run { service in
            store.isAway = true
            store.isForgetful = true
            await eventually { store.claims > 2 }
            let waiting = Task { _ = try await service.ingest(signedPayload: payload) }
            // Time enough to be accepted.
            try await Task.sleep(for: .milliseconds(100))
            return waiting
        }
        // when it has stopped, then
        _ = await waiting.result
    }
}

/// Asked of an owner that leaves.
private final class LastQuestion: Sendable {
    let service = Mutex<SubscriptionService?>(nil)
    /// Whether there was one.
    let answers = Mutex<[Bool]>([])

    static func isAnswered(by service: SubscriptionService) async -> Bool {
        let request = CheckRequest(stream: StreamReference(id: "1"))
        return (try? await service.check([request], consistency: .owner, atLeast: nil)) != nil
    }

    /// Blocks until it is answered or refused.
    func ask() {
        guard let service = self.service.withLock(\.self) else { return }
        let asked = DispatchSemaphore(value: 0)
        Task {
            let isAnswered = await Self.isAnswered(by: service)
            self.answers.withLock { $0.append(isAnswered) }
            asked.signal()
        }
        asked.wait()
    }
}

/// A store of which others have heard that a run ends, while the run itself has not heard that they have.
private struct LeavingStore: ForwardingSharedStore {
    let shared: any SharedEventStore
    let question: LastQuestion

    func leave(_ run: NodeRun) throws(StoreError) {
        try self.shared.leave(run)
        self.question.ask()
    }
}

/// A store that can be away for whoever appends and claims, while it hears signs of life; or the other way round.
private final class UnheardStore: ForwardingSharedStore {
    private struct State {
        var isAway = false
        var claims = 0
        var isForgetful = false
        var isFull = false
        var refusedBeats = 0
    }

    let shared: any SharedEventStore
    private let state = Mutex(State())

    init(_ shared: any SharedEventStore) { self.shared = shared }

    var isAway: Bool {
        get { self.state.withLock(\.isAway) }
        set { self.state.withLock { $0.isAway = newValue } }
    }

    /// It shows shards without an owner.
    var isForgetful: Bool {
        get { self.state.withLock(\.isForgetful) }
        set { self.state.withLock { $0.isForgetful = newValue } }
    }

    /// It takes no signs of life.
    var isFull: Bool {
        get { self.state.withLock(\.isFull) }
        set { self.state.withLock { $0.isFull = newValue } }
    }

    var refusedBeats: Int { self.state.withLock(\.refusedBeats) }

    /// How often it was asked for shards in vain.
    var claims: Int { self.state.withLock(\.claims) }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        guard self.isAway else { return try self.shared.append(batches) }
        throw StoreError(.outcomeUnknown, "as the test says")
    }

    func view() throws(StoreError) -> ClusterView {
        var view = try self.shared.view()
        if self.isForgetful { for place in view.shards.indices { view.shards[place].owner = nil } }
        return view
    }

    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        guard self.isFull else { return try self.shared.beat(run) }
        self.state.withLock { $0.refusedBeats += 1 }
        throw StoreError(.full, "as the test says")
    }

    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        guard self.isAway else { return try self.shared.claim(claim) }
        self.state.withLock { $0.claims += 1 }
        throw StoreError(.unavailable, "as the test says")
    }
}
