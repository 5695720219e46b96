import AppStore
import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// Nodes of one store that divide its shards by themselves.
@Suite(.timeLimit(.minutes(10))) struct OwnershipTests {
    private static let shardCount = 16
    private let store = InMemoryEventStore(shardCount: Self.shardCount)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(_ name: String, terms: LeaseTerms = Node.terms) throws -> Node {
        try Node(named: name, store: self.store, apple: self.apple, terms: terms)
    }

    private static let ids = (0..<40).map { "200000000000\(1_000 + $0)" }

    private func subscribe(_ id: String) throws -> [UInt8] {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        return try self.apple.sign(life.subscribe())
    }

    private func owned(_ services: SubscriptionService...) async throws -> [Int] {
        var owned: [Int] = []
        for service in services { owned.append(try await service.statistics().shardsOwned) }
        return owned
    }

    private func recordAll(by services: SubscriptionService...) async throws {
        for (index, id) in Self.ids.enumerated() {
            let service = services[index % services.count]
            _ = try await service.ingest(signedPayload: try self.subscribe(id))
        }
    }

    @Test("a node alone takes all shards")
    func takesAll() async throws {
        try await self.node("a").run { one in
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            try await self.recordAll(by: one)
            for id in Self.ids { #expect(try await one.view(id).snapshot?.state == .subscribed) }
        }
        #expect(self.store.view().nodes.map(\.life) == [.left])
    }

    private final class Weak: Sendable {
        private let reference = Mutex<Reference>(Reference())
        private struct Reference { weak var store: HookedSharedStore? }

        init(_ store: HookedSharedStore) { self.reference.withLock { $0.store = store } }

        var isGone: Bool { self.reference.withLock { $0.store == nil } }
    }

    @Test func `a node that has ended holds nothing of its store`() async throws {
        func run() async throws -> Weak {
            let store = HookedSharedStore(self.store)
            try await Node(named: "a", store: store, apple: self.apple).run { one in
                await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            }
            return Weak(store)
        }
        let store = try await run()
        await eventually { store.isGone }
        #expect(store.isGone)
    }

    @Test("a node that joins is given its share, and both take notifications and questions for all")
    func divides() async throws {
        let second = try self.node("b")
        try await self.node("a").run { one in
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            try await second.run { two in
                await eventually {
                    let owned = (try? await self.owned(one, two)) ?? []
                    return owned.reduce(0, +) == Self.shardCount && owned.allSatisfy { $0 >= 7 }
                }
                try await self.recordAll(by: one, two)
                // Some are kept for their owners until the connections are there.
                await eventually { self.store.statistics().events == Self.ids.count }
                for service in [one, two] {
                    for id in Self.ids { await eventually { (try? await service.view(id)) != nil } }
                }
                for id in Self.ids {
                    let views = try await [one.view(id), two.view(id)]
                    #expect(views[0].snapshot?.state == .subscribed)
                    #expect(views[0].snapshot == views[1].snapshot)
                }
                #expect(self.store.statistics().events == Self.ids.count)
            }
        }
    }

    @Test("a node that joins takes half of what Apple may be asked")
    func dividesBudgets() async throws {
        // given
        let apple = ScriptedApple { _ in ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#) }
        var nodes = [try self.node("a"), try self.node("b")]
        let clients = [try apple.client(), try apple.client()]
        for index in nodes.indices { nodes[index].configuration.serverAPI = [clients[index]] }
        // Of an endpoint that nobody asks: all that may be sent at once.
        let whole = clients[0].budget.remaining(.extendRenewalDate)
        try await nodes[0].run { [second = nodes[1]] one in
            try await Task.sleep(for: .milliseconds(100))
            #expect(clients[0].budget.remaining(.extendRenewalDate) == whole)
            // when
            try await second.run { _ in
                while clients[0].budget.remaining(.extendRenewalDate) > whole * 0.51 {
                    try await Task.sleep(for: .milliseconds(20))
                }
                // then: of both, and no less
                while clients[1].budget.remaining(.extendRenewalDate) > whole * 0.51 {
                    try await Task.sleep(for: .milliseconds(20))
                }
                for client in clients { #expect(client.budget.remaining(.extendRenewalDate) > whole * 0.49) }
            }
        }
    }

    /// Each is given its share, and leaves.
    private func comeAndGo(_ others: [Node], beside one: SubscriptionService) async throws {
        for other in others {
            try await other.run { two in await eventually { ((try? await self.owned(two)) ?? [0])[0] >= 7 } }
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
        }
    }

    @Test("while nodes come and go, each notification is recorded once")
    func movesUnderLoad() async throws {
        let others = try (0..<3).map { try self.node("b\($0)") }
        try await self.node("a").run { one in
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            async let coming: Void = self.comeAndGo(others, beside: one)
            for round in 0..<30 {
                let id = "30000000000\(1_000 + round)"
                let payload = try self.subscribe(id)
                _ = try await one.ingest(signedPayload: payload)
                _ = try await one.ingest(signedPayload: payload)
            }
            try await coming
            await eventually { self.store.inboxDepth().waiting == 0 }
            #expect(self.store.statistics().events == 30)
        }
    }

    @Test("whoever asks the next owner of a given shard makes it look for what it was given")
    func looksWhenAsked() async throws {
        // given: a node that reads who owns what once, and not again by itself
        var terms = Node.terms
        terms.readingInterval = .seconds(3_600)
        let second = try self.node("b", terms: terms)
        try await self.node("a").run { one in
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            try await second.run { two in
                // when: it is given shards
                await eventually {
                    self.store.view().shards.filter { $0.owner?.node.rawValue == "b" }.count >= 7
                }
                try await self.recordAll(by: one, two)
                // then
                await eventually { self.store.statistics().events == Self.ids.count }
                let owned = try await self.owned(two)
                #expect(owned[0] > 0)
            }
        }
    }

    @Test("a node gives up shards that, to the store, it has never taken")
    func believesReadings() async throws {
        // given: a standby to which another owns all of them still, and lives
        let record = NodeRecord(
            id: NodeID(rawValue: "ghost"), incarnation: Incarnation(rawValue: 1), endpoint: "tcp://127.0.0.1:1",
            curveKeys: [[UInt8](repeating: 7, count: 32)])
        let ghost = try self.store.begin(record, lease: .seconds(3_600))
        _ = self.store.take(self.store.view().shards, as: ghost)
        try await self.node("a").run { one in
            let standby = self.store.standby
            self.store.leave(ghost)
            await eventually { (try? await self.owned(one)) == [Self.shardCount] }
            // when
            self.store.failOver(to: standby)
            // then: although nobody writes anything
            await eventually { (try? await self.owned(one)) == [0] }
            let request = CheckRequest(stream: StreamReference(id: Self.ids[0]))
            let refusal = await #expect(throws: ServiceError.self) {
                try await one.check([request], consistency: .owner, atLeast: nil)
            }
            #expect(refusal?.code == .notOwner)
            #expect(self.store.view().shards.allSatisfy { $0.owner == ghost.owner })
        }
    }

    @Test("a node hears that its log was rewound, although nobody writes anything")
    func noticesARewind() async throws {
        // given
        let service = try self.node("a").service()
        let payload = try self.subscribe(Self.ids[0])
        let end = await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do { try await service.run() } catch { return error }
                return nil
            }
            await eventually { (try? await self.owned(service)) == [Self.shardCount] }
            let standby = self.store.standby
            _ = try? await service.ingest(signedPayload: payload)
            #expect(self.store.statistics().events == 1)
            // when
            self.store.failOver(to: standby)
            // then
            return await group.next() ?? nil
        }
        #expect((end as? ServiceError)?.code == .storeRewound)
    }

    /// Those who ask about all subscriptions, again and again.
    private final class Askers: Sendable {
        private struct State {
            /// By asker.
            var answers: [Int]
            var refusals = 0
            var strange: [String] = []
            var isOver = false
        }

        private let services: [SubscriptionService]
        private let requests: [CheckRequest]
        private let state: Mutex<State>

        init(_ services: [SubscriptionService], about ids: [String]) {
            self.services = services
            self.requests = ids.map { CheckRequest(stream: StreamReference(id: $0)) }
            self.state = Mutex(State(answers: services.map { _ in 0 }))
        }

        var answers: Int { self.state.withLock { $0.answers.reduce(0, +) } }
        /// That another node has to answer: the same may be asked again.
        var refusals: Int { self.state.withLock(\.refusals) }
        /// Whatever else there was instead of an answer, and answers that lack something.
        var strange: [String] { self.state.withLock(\.strange) }

        /// Asks until `end()`.
        func run() async {
            await withTaskGroup { group in
                for index in self.services.indices {
                    group.addTask {
                        while !self.state.withLock(\.isOver) {
                            await self.ask(as: index)
                            await Task.yield()
                        }
                    }
                }
            }
        }

        func end() { self.state.withLock { $0.isOver = true } }

        /// Returns when everybody has been answered something that he has asked after this was called.
        func untilAnswered() async {
            let before = self.state.withLock(\.answers)
            // The first may have been under way.
            await eventually { zip(self.state.withLock(\.answers), before).allSatisfy { $0 >= $1 + 2 } }
        }

        private func ask(as index: Int) async {
            do {
                let answer = try await self.services[index].check(self.requests, consistency: .owner, atLeast: nil)
                let isAnswered = !answer.results.contains(.refused(.notOwner))
                let isRight = answer.results.allSatisfy { result in
                    if case .verdict(let verdict) = result { verdict.state == .subscribed } else { false }
                }
                self.state.withLock { state in
                    if isAnswered { state.answers[index] += 1 } else { state.refusals += 1 }
                    if isAnswered, !isRight { state.strange.append("\(answer)") }
                }
            } catch {
                self.state.withLock { state in
                    if error.code == .notOwner { state.refusals += 1 } else { state.strange.append("\(error)") }
                }
            }
        }
    }

    /// An owner that is just giving a shard away once asked itself, as the one whom others ask, without end.
    @Test("a shard that moves to and fro answers its questions, wherever they are asked")
    func answersWhileMoving() async throws {
        let second = try self.node("b")
        try await self.node("a").run { one in
            try await second.run { two in
                // given
                await eventually {
                    let owned = (try? await self.owned(one, two)) ?? []
                    return owned.reduce(0, +) == Self.shardCount && owned.allSatisfy { $0 >= 7 }
                }
                try await self.recordAll(by: one, two)
                await eventually { self.store.statistics().events == Self.ids.count }
                // The one that owns the most may give one away, and nothing moves by itself.
                let owners = Dictionary(grouping: self.store.view().shards) { $0.owner?.node }
                let home = try #require(owners.max { $0.value.count < $1.value.count }?.key)
                let away = NodeID(rawValue: home.rawValue == "a" ? "b" : "a")
                let shards = try #require(owners[home]).map(\.shard)
                let askers = Askers([one, two, one, two], about: Self.ids)
                // when
                try await withThrowingTaskGroup { group in
                    group.addTask { await askers.run() }
                    defer { askers.end() }
                    for move in 0..<40 {
                        let next = move.isMultiple(of: 2) ? away : home
                        let moved = try await one.move(shards[move / 2 % shards.count], to: next)
                        #expect(moved.owner?.node == next)
                        // No question meets one move after the other.
                        await askers.untilAnswered()
                    }
                }
                // then
                #expect(askers.strange.isEmpty)
                // On a busy machine a question may take longer than it is asked again.
                #expect(askers.refusals * 20 <= askers.answers)
            }
        }
    }
}
