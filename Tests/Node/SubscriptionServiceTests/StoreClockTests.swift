import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// A node that shares a store, which tells the time with each sign of life.
@Suite(.timeLimit(.minutes(10))) struct StoreClockTests {
    private let stream = StreamReference(id: "1")
    private let store = ClockedStore()

    private func node() throws -> Node {
        let node = try Node(named: "a", store: self.store, apple: try TestAppStore())
        self.store.set { $0.tell = { node.clock.now } }
        return node
    }

    /// Someone who does not renew.
    private func leave(_ node: Node, _ service: SubscriptionService) async throws -> Moment {
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        for notification in [life.subscribe(), life.turnAutoRenew(false)] {
            _ = try await service.ingest(signedPayload: try node.apple.sign(notification))
        }
        return life.end
    }

    @Test("a node whose clock is wrong from the start expires nobody before it is right")
    func holdsFromTheStart() async throws {
        // given
        let node = try self.node()
        self.store.set { $0.tell = { node.clock.now - .hours(1) } }
        try await node.run { [stream, store] service in
            let end = try await self.leave(node, service)
            // when
            node.clock.advance(to: end)
            await eventually { (try? await service.statistics().timersOverdue) == 1 }
            // then
            #expect(service.clockOffset == .hours(1))
            #expect(try await service.history(stream).count == 2)
            #expect(node.log.all.contains { $0.contains("The clock is wrong: timers hold") })
            // when
            store.set { $0.tell = { node.clock.now } }
            // then
            await eventually { (try? await service.history(stream).count) == 3 }
            #expect(service.clockOffset == .seconds(0))
            #expect(node.log.all.contains { $0.contains("The clock is right again: timers go on") })
        }
    }

    @Test("what comes in while the clock is far ahead ends by time when that has come")
    func decidesByTheRightTime() async throws {
        // given: by its own clock the period is over, and by the store's it has just begun
        let node = try self.node()
        self.store.set { $0.tell = { node.clock.now - .days(40) } }
        var life = TestSubscription(id: "1", from: Node.start - .days(41))
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(node.apple.sign)
        let end = life.end
        #expect(end > Node.start - .days(40) && end < Node.start)
        try await node.run { [stream, store] service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            #expect(try await service.history(stream).allSatisfy { $0.at < end })
            // when
            store.set { $0.tell = { node.clock.now } }
            // then
            await eventually { (try? await service.history(stream).last?.event.kind) == .expired }
            #expect(try await service.history(stream).contains { $0.event.effectiveAt == end })
        }
    }

    @Test("a store whose clock is far ahead takes nobody's end away")
    func goesByNoTimeToCome() async throws {
        // given
        let node = try self.node()
        self.store.set { $0.tell = { node.clock.now + .days(400) } }
        try await node.run { [stream, store] service in
            let end = try await self.leave(node, service)
            #expect(try await service.history(stream).allSatisfy { $0.at == node.clock.now })
            // when
            store.set { $0.tell = { node.clock.now } }
            node.clock.advance(to: end)
            // then
            await eventually { (try? await service.history(stream).count) == 3 }
            #expect(try await service.history(stream).last?.event.effectiveAt == end)
        }
    }

    @Test("a clock that has been set right holds nothing up, however far it has jumped")
    func goesByTheStore() async throws {
        // given
        let node = try self.node()
        try await node.run { [stream, store] service in
            let end = try await self.leave(node, service)
            node.clock.offset = .minutes(-10)
            let beats = store.beats
            await eventually { store.beats > beats + 2 }
            // when
            node.clock.advance(to: end)
            // then
            await eventually { (try? await service.history(stream).count) == 3 }
            #expect(service.clockOffset == .seconds(0))
        }
    }

    @Test("a jump between two signs of life is noticed before the next one")
    func noticesJumps() async throws {
        // given
        let node = try self.node()
        try await node.run { [stream, store] service in
            let end = try await self.leave(node, service)
            store.set { $0.isAway = true }
            let beats = store.beats
            await eventually { store.beats > beats + 2 }
            // when
            node.clock.offset = .minutes(10)
            node.clock.advance(to: end)
            await eventually { (try? await service.statistics().timersOverdue) == 1 }
            // then
            #expect(service.clockOffset == .minutes(10))
            #expect(try await service.history(stream).count == 2)
        }
    }

    @Test("a wrong clock is not absolved by an answer that takes as long as it is ahead")
    func remembersWhatIsWrong() async throws {
        // given
        let node = try self.node()
        self.store.set { $0.tell = { node.clock.now - .hours(1) } }
        try await node.run { [store] service in
            // when: an answer that takes two hours, in the middle of which the store looks at its clock
            store.set {
                $0.tell = {
                    let asked = node.clock.now
                    node.clock.advance(to: asked + .hours(2))
                    return asked
                }
            }
            let beats = store.beats
            await eventually { store.beats > beats + 2 }
            // then
            #expect(service.clockOffset == .hours(1))
        }
    }

    @Test("a node whose first signs of life are not taken begins all the same")
    func beginsPatiently() async throws {
        // given
        let node = try self.node()
        self.store.set { $0.isAway = true }
        let service = try node.service()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await service.run() }
            await eventually { self.store.beats > 2 }
            #expect(!service.readiness(for: .reads).ready)
            // when
            self.store.set { $0.isAway = false }
            // then
            await eventually { service.readiness(for: .reads).ready }
            group.cancelAll()
        }
    }

    @Test("a right clock is not blamed for a store that takes long to answer", arguments: [0, 10, 20])
    func allowsForTheWay(_ seconds: Int64) async throws {
        // given: twenty seconds, after so many of which the store looks at its clock
        let node = try self.node()
        self.store.set {
            $0.tell = {
                let asked = node.clock.now
                node.clock.advance(to: asked + .seconds(20))
                return asked + .seconds(seconds)
            }
        }
        // when
        try await node.run { [stream] service in
            let end = try await self.leave(node, service)
            node.clock.advance(to: end)
            // then
            await eventually { (try? await service.history(stream).count) == 3 }
            #expect(service.clockOffset == .seconds(0))
        }
    }
}

/// A store of several nodes that has a clock of its own.
private final class ClockedStore: ForwardingSharedStore {
    struct State {
        var tell: @Sendable () -> Moment = { Node.start }
        /// It takes no signs of life.
        var isAway = false
        var beats = 0
    }

    let shared: any SharedEventStore = InMemoryEventStore(shardCount: 16)
    private let state = Mutex(State())

    /// How many have come.
    var beats: Int { self.state.withLock(\.beats) }

    func set(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        let (tell, isAway) = self.state.withLock { state in
            state.beats += 1
            return (state.tell, state.isAway)
        }
        guard !isAway else { throw StoreError(.unavailable, "as the test says") }
        guard try self.shared.beat(run) != nil else { return nil }
        return BeatAcknowledgement(time: tell().milliseconds)
    }
}
