import Dispatch
import EventLog
import InMemoryStore
import Ownership
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What callers see when the store fails, and that nothing is lost or invented by it.
@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    private let inner = InMemoryEventStore(shardCount: 16)

    private func life() -> TestSubscription { TestSubscription(id: "1", from: Node.start - .days(1)) }

    @Test func aPoisonedCommandIsParkedAndItsNeighboursCommit() async throws {
        // given: whatever holds this UUID's event conflicts
        var poisoned = self.life()
        var poison = poisoned.subscribe()
        poison.uuid = "deadbeef-0000-4000-8000-000000000000"
        let store = ScriptedStore(self.inner)
        let conflicts: ScriptedStore.Append = { batches, store in
            let isPoisoned = batches.contains { batch in
                batch.events.contains { $0.dedupKey.starts(with: [0xDE, 0xAD, 0xBE, 0xEF]) }
            }
            guard !isPoisoned else { return .failure(StoreError(.conflict, "as the test says")) }
            return ScriptedStore.commit(batches, to: store)
        }
        let block = DispatchSemaphore(value: 0)
        store.next([ScriptedStore.waiting(for: block)] + Array(repeating: conflicts, count: 500))
        let node = try Node(store: store)
        let neighbours = try (100..<160).map { number in
            var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
            return try node.apple.sign(life.subscribe())
        }
        let poisonPayload = try node.apple.sign(poison)
        try await node.run { service in
            // when: everything gathers behind a commit that waits
            let outcomes = await withTaskGroup(of: Delivered.self) { group in
                group.addTask { await Delivered(neighbours[0], to: service) }
                await eventually { store.commits.count == 1 }
                for payload in neighbours[1..<30] + [poisonPayload] + neighbours[30...] {
                    group.addTask { await Delivered(payload, to: service) }
                }
                block.signal()
                return await group.reduce(into: []) { $0.append($1) }
            }
            // then
            for delivered in outcomes {
                if delivered.payload == poisonPayload {
                    #expect(delivered.error?.code == .parked)
                } else {
                    #expect(delivered.outcome == .recorded(StreamVersion(rawValue: 1)))
                }
            }
            #expect(outcomes.count == 61)
            let result5 = try await service.statistics().streams
            #expect(result5 == 60)
        }
    }

    @Test func aStreamThatCannotBeReadRefusesOnlyItsOwn() async throws {
        // given: the row of a subscription that has become unreadable, and others of its shard
        let store = ScriptedStore(self.inner)
        let apple = try TestAppStore()
        var life = self.life()
        let payloads = try [life.subscribe(), life.turnAutoRenew(false)].map(apple.sign)
        var node = try Node(store: store)
        node.apple = apple
        try await node.run { _ = try await $0.ingest(signedPayload: payloads[0]) }
        store.damagedStream = try #require(store.commits.first?.first?.streams.first?.key)
        let map = try #require(ShardHash(shardCount: 16))
        let neighbours = try (100..<600).map(String.init).filter { map.shard(of: $0) == map.shard(of: "1") }.map { id in
            var life = TestSubscription(id: id, from: Node.start - .days(1))
            return try apple.sign(life.subscribe())
        }
        let block = DispatchSemaphore(value: 0)
        store.next([ScriptedStore.waiting(for: block)])
        try await node.run { service in
            // when: everything gathers behind a commit that waits
            let outcomes = await withTaskGroup(of: Delivered.self) { group in
                group.addTask { await Delivered(neighbours[0], to: service) }
                await eventually { store.commits.count == 2 }
                for payload in neighbours[1..<10] + [payloads[1]] + neighbours[10...] {
                    group.addTask { await Delivered(payload, to: service) }
                }
                block.signal()
                return await group.reduce(into: []) { $0.append($1) }
            }
            // then
            for delivered in outcomes {
                if delivered.payload == payloads[1] {
                    #expect(delivered.error?.code == .corrupt)
                } else {
                    #expect(delivered.outcome == .recorded(StreamVersion(rawValue: 1)))
                }
            }
            #expect(outcomes.count > 20)
        }
    }

    @Test func readsThatFailRefuseOnlyWhatNeededThem() async throws {
        // given
        let store = ScriptedStore(self.inner)
        store.readFailure = StoreError(.unavailable, "as the test says")
        let node = try Node(store: store)
        var life = self.life()
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when, then
            let error = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: payload) }
            #expect(error?.code == .storeUnavailable)
            store.readFailure = nil
            let result6 = try await service.ingest(signedPayload: payload)
            #expect(result6 == .recorded(StreamVersion(rawValue: 1)))
        }
    }

    @Test func whatIsOverTheBoundIsRefusedAtOnce() async throws {
        // given: a commit that waits, and room for four commands
        let block = DispatchSemaphore(value: 0)
        let store = ScriptedStore(self.inner)
        store.next([ScriptedStore.waiting(for: block)])
        var node = try Node(store: store)
        node.configuration.commandsPerShard = 4
        var life = self.life()
        let payloads = try (0..<10).map { _ in
            life.wait(.minutes(1))
            return try node.apple.sign(life.askForConsumption())
        }
        try await node.run { service in
            // when
            let (recorded, refused) = try await withThrowingTaskGroup(of: Bool.self) { group in
                for payload in payloads {
                    group.addTask {
                        do throws(ServiceError) {
                            _ = try await service.ingest(signedPayload: payload)
                            return true
                        } catch {
                            guard error.code == .overloaded else { throw error }
                            #expect(error.retryAfter != nil)
                            return false
                        }
                    }
                }
                var refused = 0
                while refused < 6, try await group.next() == false { refused += 1 }
                block.signal()
                let recorded = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                return (recorded, refused)
            }
            // then
            #expect(refused == 6)
            #expect(recorded == 4)
        }
    }

    @Test func aCallerThatGivesUpCancelsNobodysCommit() async throws {
        // given
        let block = DispatchSemaphore(value: 0)
        let store = ScriptedStore(self.inner, [ScriptedStore.waiting(for: block)])
        let node = try Node(store: store)
        var life = self.life()
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await service.ingest(signedPayload: payload) }
                await eventually { store.commits.count == 1 }
                group.cancelAll()
                block.signal()
            }
            // then
            let result7 = try await service.ingest(signedPayload: payload)
            #expect(result7 == .duplicate(StreamVersion(rawValue: 1)))
        }
    }

    @Test func stoppingUnderLoadLosesNothingThatWasAnswered() async throws {
        // given
        let node = try Node(store: self.inner)
        let payloads = try (0..<300).map { number in
            var life = TestSubscription(id: "\(number)", from: Node.start - .days(1))
            return try node.apple.sign(life.subscribe())
        }
        let service = try node.service()
        // when: the node stops while tasks still deliver
        let answered = await withThrowingTaskGroup(of: Void.self) { running in
            running.addTask { try await service.run() }
            return await withTaskGroup(of: Int?.self) { group in
                for (number, payload) in payloads.enumerated() {
                    group.addTask {
                        do throws(ServiceError) {
                            _ = try await service.ingest(signedPayload: payload)
                            return number
                        } catch {
                            #expect([.stopping, .overloaded].contains(error.code))
                            return nil
                        }
                    }
                }
                var answered: [Int] = []
                for await number in group {
                    running.cancelAll()
                    if let number { answered.append(number) }
                }
                return answered
            }
        }
        // then: what was kept while nobody owned its shard is applied soon
        try await node.run { service in
            for number in answered {
                await eventually { (try? await service.view("\(number)")) != nil }
                let view = try await service.view("\(number)")
                #expect(view.version.rawValue == 1)
            }
        }
    }
}
