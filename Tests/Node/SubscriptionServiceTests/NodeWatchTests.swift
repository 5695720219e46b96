import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// What a node notices while nobody asks it anything, and nothing is due.
@Suite(.timeLimit(.minutes(10))) struct NodeWatchTests {
    private func payload(of node: Node, signed: Moment) throws -> [UInt8] {
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        var notification = life.subscribe()
        notification.signed = signed
        return try node.apple.sign(notification)
    }

    @Test(
        "a clock that jumps raises the alarm at once, and answers that go by it are not ready",
        arguments: [Milliseconds.minutes(10), .minutes(-10)])
    func noticesJumps(_ jump: Milliseconds) async throws {
        let node = try Node()
        try await node.run { service in
            #expect(service.readiness(for: .reads).ready)
            // when
            node.clock.offset = jump
            // then
            await eventually { node.log.count(of: "The clock is wrong: timers hold") == 1 }
            let reasons = service.readiness(for: .reads).reasons
            #expect(reasons.count == 1)
            #expect(reasons[0].hasPrefix("the clock is 600 s \(jump.rawValue > 0 ? "ahead" : "behind")"))
            #expect(service.readiness(for: .ingest).ready)
            // when
            node.clock.offset = .seconds(0)
            // then
            await eventually { node.log.count(of: "The clock is right again: timers go on") == 1 }
            #expect(service.readiness(for: .reads).ready)
        }
    }

    @Test("while the clock is behind, what was signed is judged by the right time")
    func judgesByTheRightTime() async throws {
        // given
        let node = try Node()
        let present = try self.payload(of: node, signed: Node.start + .minutes(59))
        let future = try self.payload(of: node, signed: Node.start + .minutes(66))
        try await node.run { service in
            // when
            node.clock.offset = .hours(-1)
            // then
            let refusal = await #expect(throws: ServiceError.self) {
                try await service.ingest(signedPayload: future)
            }
            #expect(refusal?.code == .clockSkew)
            let outcome = try await service.ingest(signedPayload: present)
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
        }
    }

    @Test("a clock that was ahead and is set right refuses nothing that is signed now")
    func refusesNothingAfterItWasSetRight() async throws {
        // given: it was an hour ahead when the node began
        let node = try Node()
        let present = try self.payload(of: node, signed: Node.start)
        try await node.run { service in
            // when
            node.clock.offset = .hours(1)
            // then
            let outcome = try await service.ingest(signedPayload: present)
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
        }
    }

    @Test("a clock that was behind from the start shows by what Apple signs, and readiness says so")
    func isToldByApple() async throws {
        // given
        let node = try Node()
        let payloads = try [6, 7].map { try self.payload(of: node, signed: Node.start + .minutes($0)) }
        try await node.run { service in
            #expect(service.readiness(for: .ingest).ready)
            // when
            for payload in payloads {
                let refusal = await #expect(throws: ServiceError.self) {
                    try await service.ingest(signedPayload: payload)
                }
                #expect(refusal?.code == .clockSkew)
            }
            // then
            #expect(node.log.count(of: "The clock is behind Apple's") == 1)
            #expect(service.readiness(for: .ingest).reasons.contains { $0.hasPrefix("the clock is behind Apple's") })
            #expect(service.readiness(for: .reads).ready)
            // when: it is set right
            node.clock.advance(to: Node.start + .minutes(3))
            // then
            #expect(service.readiness(for: .ingest).ready)
            let outcome = try await service.ingest(signedPayload: payloads[0])
            #expect(outcome == .recorded(StreamVersion(rawValue: 1)))
            #expect(node.log.count(of: "What Apple signs is accepted again") == 1)
        }
    }

    @Test("a store whose file is gone makes the node unready for everything, until it is back")
    func noticesLostFiles() async throws {
        // given
        let store = LosableStore()
        let node = try Node(store: store)
        try await node.run { service in
            // when
            store.loss = .unavailable
            // then
            for purpose in Readiness.Purpose.allCases {
                await eventually { service.readiness(for: purpose).reasons == ["as the test says"] }
            }
            #expect(node.log.errors.count == 1)
            #expect(node.log.errors[0].contains("The store's file is not where it was"))
            // when
            store.loss = nil
            // then
            await eventually { service.readiness(for: .ingest).ready }
            #expect(node.log.count(of: "The store's file is where it was") == 1)
        }
    }

    @Test func `a store whose file is damaged makes the node unready for good, and says so once`() async throws {
        // given
        let store = LosableStore()
        let node = try Node(store: store)
        try await node.run { service in
            // when
            store.loss = .corrupt
            // then
            for purpose in Readiness.Purpose.allCases {
                await eventually { service.readiness(for: purpose).reasons == ["as the test says"] }
            }
            await eventually { store.looks > 2 }
            #expect(node.log.errors.count == 1)
            #expect(node.log.errors[0].contains("The store's file is damaged"))
        }
    }

    @Test func `what endangers a store's file is warned of once, and the node goes on`() async throws {
        // given
        let store = LosableStore()
        let node = try Node(store: store)
        try await node.run { service in
            // when
            store.danger = "as the test says"
            // then
            await eventually { node.log.count(of: "The store's file is in danger") == 1 }
            let looks = store.looks
            await eventually { store.looks > looks + 1 }
            #expect(node.log.count(of: "The store's file is in danger") == 1)
            #expect(service.readiness(for: .ingest).ready)
        }
    }
}

/// A store whose file can be taken away, damaged or endangered.
private final class LosableStore: ForwardingStore {
    let inner: any EventStore = InMemoryEventStore(shardCount: 16)
    private let state = Mutex((loss: StoreError.Code?.none, danger: String?.none, looks: 0))

    var loss: StoreError.Code? {
        get { self.state.withLock { $0.loss } }
        set { self.state.withLock { $0.loss = newValue } }
    }

    var danger: String? {
        get { self.state.withLock { $0.danger } }
        set { self.state.withLock { $0.danger = newValue } }
    }

    /// How often it was asked since its file was taken away, damaged or endangered.
    var looks: Int { self.state.withLock { $0.looks } }

    func checkFiles() throws(StoreError) -> String? {
        let (loss, danger) = self.state.withLock { state in
            if state.loss != nil || state.danger != nil { state.looks += 1 }
            return (state.loss, state.danger)
        }
        if let loss { throw StoreError(loss, "as the test says") }
        return danger
    }
}
