import EventLog
import InMemoryStore
import Ownership
import PerennialTestSupport
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Testing

/// Nodes of two releases on one store.
@Suite(.timeLimit(.minutes(10))) struct FeatureLevelTests {
    private static let second = FeatureLevel(rawValue: 2)
    private static let outdated = "the store is at feature level 2, and this version supports 1 at most"
    private let store = InMemoryEventStore(shardCount: 16)
    private let apple: TestAppStore

    init() throws { self.apple = try TestAppStore() }

    private func node(_ name: String, supporting level: FeatureLevel) throws -> Node {
        var node = try Node(named: name, store: self.store, apple: self.apple)
        node.configuration.featureLevel = level
        return node
    }

    @Test("a node does not start on a store of a level that it does not support")
    func refusesToStart() throws {
        let directory = try TemporaryDirectory()
        let file = try Node.sqlite(in: directory)
        for store in [self.store, file] as [any EventStore] {
            #expect(try store.raiseFeatureLevel(to: Self.second))
            var node = try Node(store: store)
            node.configuration.featureLevel = .first
            #expect { try node.service() } throws: { ($0 as? ServiceError)?.message.contains(Self.outdated) == true }
            node.configuration.featureLevel = Self.second
            _ = try node.service()
        }
        try file.close()
    }

    @Test("an upgrade ends when the last older node has left, and then stays ended")
    func finalizes() async throws {
        try await self.node("new", supporting: Self.second).run { new async throws in
            try await self.node("old", supporting: .first).run { old async throws in
                await eventually { self.store.view().living.count == 2 }
                for asked in [old, new] {
                    await #expect {
                        try await asked.finalize()
                    } throws: { error in
                        guard let error = error as? ServiceError else { return false }
                        return error.code == .olderNodes && error.message.contains("by old (level 1): ")
                    }
                }
            }
            #expect(try await new.clusterStatus().featureLevel == .first)
            #expect(try await new.finalize() == Finalization(featureLevel: Self.second, isRaised: true))
            #expect(try await new.finalize() == Finalization(featureLevel: Self.second, isRaised: false))
            #expect(try await new.clusterStatus().featureLevel == Self.second)
            #expect(throws: ServiceError.self) { try self.node("old", supporting: .first).service() }
        }
    }

    @Test("a node alone ends its upgrade by itself")
    func finalizesAlone() async throws {
        let directory = try TemporaryDirectory()
        let file = try Node.sqlite(in: directory)
        var node = try Node(store: file)
        node.configuration.featureLevel = Self.second
        try await node.run { service async throws in
            #expect(try await service.clusterStatus().nodes.map(\.status.record.featureLevel) == [Self.second])
            #expect(try await service.finalize() == Finalization(featureLevel: Self.second, isRaised: true))
            #expect(try await service.finalize() == Finalization(featureLevel: Self.second, isRaised: false))
        }
        #expect(try file.featureLevel() == Self.second)
        try file.close()
    }

    @Test("a node that the level has passed over, since others took it for dead, ends by itself and says why")
    func retires() async throws {
        // given: one that does not hear from its beats that it was taken for dead
        var node = try self.node("a", supporting: .first)
        node.configuration.lease?.beatInterval = .seconds(3_600)
        let service = try node.service()
        let running = Task { try await service.run() }
        await eventually { (try? await service.statistics().shardsOwned) == 16 }
        // when
        #expect(self.store.depose(try #require(self.store.view().nodes.first)))
        #expect(self.store.raiseFeatureLevel(to: Self.second))
        // then
        await #expect {
            try await running.value
        } throws: { error in
            (error as? ServiceError)?.message.contains(Self.outdated) == true
        }
    }
}
