import AppStore
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

/// On what an owner's answer rests besides the signs of life that the store takes from it.
@Suite(.timeLimit(.minutes(10))) struct TenureTests {
    private static let stream = StreamReference(id: "1")
    private let store = HeldBackStore(InMemoryEventStore(shardCount: 16))
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func answer(of service: SubscriptionService) async -> Result<CheckResponse, any Error> {
        do {
            let request = CheckRequest(stream: Self.stream)
            return .success(try await service.check([request], consistency: .owner, atLeast: nil))
        } catch {
            return .failure(error)
        }
    }

    @Test("who cannot read what the store says of his shards soon answers no more, though it takes his beats")
    func needsReadings() async throws {
        // given
        var terms = Node.terms
        terms.reads = .seconds(1)
        try await Node(named: "a", store: self.store, apple: self.apple, terms: terms).run { service in
            await eventually { (try? await self.answer(of: service).get()) != nil }
            // when
            self.store.refuseReadings(with: .unavailable)
            // then
            await eventually {
                guard case .failure(let error) = await self.answer(of: service) else { return false }
                return (error as? ServiceError)?.code == .storeUnavailable
            }
            let beats = try self.store.shared.view().nodes.map(\.beat)
            try await eventually { try self.store.shared.view().nodes.map(\.beat) != beats }
            #expect(try self.store.shared.view().nodes.map(\.life) == [.live])
            #expect(!service.readiness(for: .reads).ready)
            // when
            self.store.refuseReadings(with: nil)
            // then
            await eventually { (try? await self.answer(of: service).get()) != nil }
        }
    }

    /// Stops a node while a commit is held up, which goes on after `body`.
    private func stop<Value: Sendable>(
        _ body: @escaping @Sendable (SubscriptionService) async -> Value
    ) async throws -> Value {
        var life = TestSubscription(id: "2", from: Node.start - .days(1))
        let payload = try self.apple.sign(life.subscribe())
        let (hasBegun, commit) = (Signal(), DispatchSemaphore(value: 0))
        return try await withTaskCancellationHandler {
            let end = try await Node(named: "a", store: self.store, apple: self.apple).run { service in
                await eventually { (try? await self.answer(of: service).get()) != nil }
                self.store.holdNextAppend {
                    hasBegun.give()
                    commit.wait()
                }
                let ingest = Task { _ = try await service.ingest(signedPayload: payload) }
                await hasBegun.wait()
                // The node stops when this closure returns.
                return Task {
                    await eventually { !service.readiness(for: .ingest).ready }
                    let value = await body(service)
                    commit.signal()
                    try await ingest.value
                    return value
                }
            }
            return try await withTaskCancellationHandler {
                try await end.value
            } onCancel: {
                end.cancel()
            }
        } onCancel: {
            // Without it the node does not stop.
            commit.signal()
        }
    }

    /// Returns when the store has been asked a few times more.
    private func keepsReading() async {
        let readings = self.store.readings
        await eventually { self.store.readings > readings + 2 }
    }

    @Test(
        "a node that stops is ready for nothing, and goes on reading what the store says of its shards, and answers, for as long as it takes"
    )
    func readsWhileItStops() async throws {
        let answer = try await self.stop { service in
            await self.keepsReading()
            #expect(!service.readiness(for: .reads).ready)
            return await self.answer(of: service)
        }
        _ = try answer.get()
    }

    @Test("whatever is wrong with what a node reads while it stops, what it has begun is committed")
    func endsInOrderWhateverItReads() async throws {
        try await self.stop { _ in
            self.store.refuseReadings(with: .corrupt)
            await self.keepsReading()
        }
        #expect(try self.store.shared.view().nodes.map(\.life) == [.left])
    }

    @Test("an answer that was read before a shard was opened anew is read again")
    func restsOnOneTenure() async throws {
        // given: an answer whose row has been read, and comes later
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let first = try self.apple.sign(life.subscribe())
        let second = try self.apple.sign(life.turnAutoRenew(false))
        try await Node(named: "a", store: self.store, apple: self.apple).run { service in
            _ = try await service.ingest(signedPayload: first)
            let (hasRead, goOn) = (Signal(), Signal())
            self.store.rowsComeAfter {
                hasRead.give()
                await goOn.wait()
            }
            async let view = service.subscription(SubscriptionQuery(stream: Self.stream, consistency: .owner))
            // However this ends, it waits no longer.
            defer { goOn.give() }
            await hasRead.wait()
            // when: the outcome of a commit is not known, so the shard is taken under another epoch
            self.store.loseNextAnswer()
            _ = try await service.ingest(signedPayload: second)
            goOn.give()
            // then: on a slow machine patience may be over, and whoever asked asks again
            do {
                #expect(try await view.version == StreamVersion(rawValue: 2))
            } catch {
                #expect((error as? ServiceError)?.code == .notOwner)
                let again = try await service.subscription(
                    SubscriptionQuery(stream: Self.stream, consistency: .owner))
                #expect(again.version == StreamVersion(rawValue: 2))
            }
        }
    }

    @Test("an answer that is ready only when its owner may answer no more is not given")
    func asksWhenItIsReady() async throws {
        // given: an answer whose row has been read, and comes later
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        let payload = try self.apple.sign(life.subscribe())
        var terms = Node.terms
        terms.reads = .seconds(10)
        try await Node(named: "a", store: self.store, apple: self.apple, terms: terms).run { service in
            await eventually { (try? await service.ingest(signedPayload: payload)) != nil }
            let (hasRead, goOn) = (Signal(), Signal())
            self.store.rowsComeAfter {
                hasRead.give()
                await goOn.wait()
            }
            let view = Task {
                try await service.subscription(SubscriptionQuery(stream: Self.stream, consistency: .owner))
            }
            await hasRead.wait()
            // when
            self.store.refuseReadings(with: .unavailable)
            await eventually { !service.readiness(for: .reads).ready }
            goOn.give()
            // then
            await #expect { _ = try await view.value } throws: { ($0 as? ServiceError)?.code == .storeUnavailable }
        }
    }

    @Test func `what was in memory is answered though the rest comes when its owner may answer no more`() async throws {
        @Sendable func ask(_ service: SubscriptionService, _ ids: String...) async throws -> [CheckResult] {
            let requests = ids.map { CheckRequest(stream: StreamReference(id: $0)) }
            return try await service.check(requests, consistency: .owner, atLeast: nil).results
        }
        var terms = Node.terms
        terms.reads = .seconds(10)
        try await Node(named: "a", store: self.store, apple: self.apple, terms: terms).run { service in
            // given: a batch of which one row is in memory, and the others have been read, and come later
            for id in ["1", "2", "3"] {
                var life = TestSubscription(id: id, from: Node.start - .days(1))
                let payload = try self.apple.sign(life.subscribe())
                await eventually { (try? await service.ingest(signedPayload: payload)) != nil }
            }
            await eventually { (try? await ask(service, "1")) != nil }
            let (hasRead, goOn) = (Signal(), Signal())
            self.store.rowsComeAfter {
                hasRead.give()
                await goOn.wait()
            }
            let results = Task { try await ask(service, "1", "2") }
            defer { goOn.give() }
            await hasRead.wait()
            // when
            self.store.refuseReadings(with: .unavailable)
            await eventually { !service.readiness(for: .reads).ready }
            goOn.give()
            // then
            let both = try await results.value
            guard case .verdict(let verdict) = both[0] else {
                Issue.record("the check was refused")
                return
            }
            #expect(verdict.entitled)
            #expect(both[1] == .refused(.storeUnavailable))
            // and who may not answer does not ask the store either
            self.store.rowsComeAfter { Issue.record("the store was asked") }
            await #expect {
                _ = try await ask(service, "3")
            } throws: { ($0 as? ServiceError)?.code == .storeUnavailable }
        }
    }

    @Test(
        "the right to answer counts from when the store was asked, not from when it answered",
        arguments: Statement.allCases)
    func countsFromTheSending(_ statement: Statement) async throws {
        let reads = Duration.seconds(1)
        var terms = Node.terms
        terms.reads = reads
        try await Node(named: "a", store: self.store, apple: self.apple, terms: terms).run { service in
            await eventually { (try? await self.answer(of: service).get()) != nil }
            // given: a statement whose answer comes when all that was known before is too old
            let (answers, next) = (Held(), Held())
            // However this ends, no thread waits on.
            defer { for held in [answers, next] { held.goOn.signal() } }
            self.store.hold(statement, answers)
            await answers.hasBegun.wait()
            try await Task.sleep(for: reads)
            // when: it has come, and the next has not
            self.store.hold(statement, next)
            answers.goOn.signal()
            await next.hasBegun.wait()
            // then
            let answer = await self.answer(of: service)
            next.goOn.signal()
            #expect(throws: ServiceError.self) { try answer.get() }
            await eventually { (try? await self.answer(of: service).get()) != nil }
        }
    }
}

/// Something that happens once.
private final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func give() { self.continuation.finish() }

    func wait() async { for await _ in self.stream {} }
}

/// On which an owner's right to answer rests.
enum Statement: CaseIterable {
    case beat
    case reading
}

/// A statement that the store makes at once, and answers later.
private struct Held {
    let hasBegun = Signal()
    let goOn = DispatchSemaphore(value: 0)
}

/// A store that takes signs of life whatever else it keeps back.
private final class HeldBackStore: ForwardingSharedStore {
    private struct State {
        var refusal: StoreError.Code?
        var readings = 0
        var losesAnswer = false
        var pause: (@Sendable () async -> Void)?
        var hold: (@Sendable () -> Void)?
        var held: [Statement: Held] = [:]
    }

    let shared: any SharedEventStore
    private let state = Mutex(State())

    init(_ shared: any SharedEventStore) { self.shared = shared }

    /// - Parameter code: why it does not say who owns what; nil: it does.
    func refuseReadings(with code: StoreError.Code?) { self.state.withLock { $0.refusal = code } }

    /// How often it was asked who owns what.
    var readings: Int { self.state.withLock(\.readings) }

    /// The next commit happens, and its answer is lost.
    func loseNextAnswer() { self.state.withLock { $0.losesAnswer = true } }

    /// The next rows of streams have been read, and come after this.
    func rowsComeAfter(_ pause: @escaping @Sendable () async -> Void) { self.state.withLock { $0.pause = pause } }

    /// The next statement of this kind is answered when the test says so.
    func hold(_ statement: Statement, _ held: Held) { self.state.withLock { $0.held[statement] = held } }

    private func answer(_ statement: Statement) {
        let held = self.state.withLock { $0.held.removeValue(forKey: statement) }
        held?.hasBegun.give()
        held?.goOn.wait()
    }

    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        defer { self.answer(.beat) }
        return try self.shared.beat(run)
    }

    func view() throws(StoreError) -> ClusterView {
        defer { self.answer(.reading) }
        let refusal = self.state.withLock { state in
            state.readings += 1
            return state.refusal
        }
        if let refusal { throw StoreError(refusal, "as the test says") }
        return try self.shared.view()
    }

    /// The next commit is made after this.
    func holdNextAppend(_ hold: @escaping @Sendable () -> Void) { self.state.withLock { $0.hold = hold } }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        let hold = self.state.withLock { state in
            defer { state.hold = nil }
            return state.hold
        }
        hold?()
        let outcomes = try self.shared.append(batches)
        let isLost = self.state.withLock { state in
            defer { state.losesAnswer = false }
            return state.losesAnswer
        }
        guard !isLost else { throw StoreError(.outcomeUnknown, "as the test says") }
        return outcomes
    }

    func streams(withPrefix prefix: [UInt8], in shard: ShardID, limit: Int) async throws(StoreError) -> [StreamRow] {
        let rows = try await self.shared.streams(withPrefix: prefix, in: shard, limit: limit)
        await self.pause()
        return rows
    }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        let rows = try await self.shared.streams(withPrefixes: prefixes, limit: limit)
        await self.pause()
        return rows
    }

    private func pause() async {
        let pause = self.state.withLock { state in
            defer { state.pause = nil }
            return state.pause
        }
        await pause?()
    }
}
