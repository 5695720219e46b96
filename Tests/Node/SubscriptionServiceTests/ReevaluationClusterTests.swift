import Entitlements
import EventLog
import InMemoryStore
import Jobs
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Rules that change on one node after the other.
@Suite(.timeLimit(.minutes(10))) struct ReevaluationClusterTests {
    @Test func `while nodes answer by different settings a job waits`() async throws {
        // given: two nodes with half of the shards each, one of them with other settings
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        let apple = try TestAppStore()
        var all = try Node(store: store)
        all.apple = apple
        try await ReevaluationTests.subscribe(1...32, on: all)
        var first = try Node(named: "a", assigned: 0..<8, store: store, apple: apple)
        var second = try Node(named: "b", assigned: 8..<16, store: store, apple: apple)
        first.configuration.rules.renewalLeeway[.production] = .hours(9)
        second.configuration.rules.renewalLeeway[.production] = .hours(8)
        let (one, two) = (first, second)
        let job = try await one.run { here in
            try await two.run { there in
                let job = try await here.start(.reevaluate, actor: nil)
                try await eventually {
                    let now = try await here.storedJob(job.id)
                    return now.message?.contains("all nodes") == true
                }
                _ = there
                return try await here.storedJob(job.id)
            }
        }
        #expect(job.state == .running)
        // when: the other node is given them
        second.configuration.rules.renewalLeeway[.production] = .hours(9)
        let same = second
        try await one.run { here in
            try await same.run { _ in
                let end = try await ReevaluationTests.reevaluate(here)
                // then
                #expect(end.state == .done)
                for id in 1...32 {
                    let told = try await ReevaluationTests.told(id, here)
                    #expect(!told.isEmpty)
                    #expect(told.last?.current.validUntil == told.first?.previous.validUntil.map { $0 + .hours(7) })
                }
            }
        }
    }

    @Test func `a job waits for nodes that still answer by the older catalog, and tells what they told`() async throws {
        // given: two nodes with half of the shards each, of which one has the new catalog
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        let apple = try TestAppStore()
        var old = try Node(named: "a", assigned: 0..<8, store: store, apple: apple)
        var new = try Node(named: "b", assigned: 8..<16, store: store, apple: apple)
        new.clock = old.clock
        new.catalog = Catalog([])
        let payloads = try (1...16).map { id in
            var life = TestSubscription(id: "\(id)", from: Node.start - .days(1))
            return try apple.sign(life.subscribe())
        }
        let (first, second) = (old, new)
        let job = try await first.run { there in
            try await second.run { here in
                let job = try await here.start(.reevaluate, actor: nil)
                try await eventually { try await here.storedJob(job.id).message?.contains("all nodes") == true }
                // when: the other one tells of half of these
                for payload in payloads { _ = try await there.ingest(signedPayload: payload) }
                return job
            }
        }
        // then: once that one has the new catalog as well, and a while is over
        old.clock.advance(to: old.clock.now + .minutes(1))
        old.catalog = Catalog([])
        let (third, fourth) = (old, new)
        try await third.run { _ in
            try await fourth.run { here in
                let end = try await ReevaluationTests.end(of: job, here)
                #expect(end.state == .done && end.examined == 16)
                let shards = try await here.clusterStatus().shards.count
                #expect(shards == 16)
                var told = 0
                for id in 1...16 { told += try await ReevaluationTests.told(id, here).count }
                #expect(end.changed == told && told > 0)
            }
        }
    }

    @Test func `a node that has tried another catalog and is gone keeps nobody from going on`() async throws {
        // given: two nodes share the store by leases, of which one tries another catalog
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        let apple = try TestAppStore()
        let stays = try Node(named: "stays", store: store, apple: apple)
        var canary = try Node(named: "canary", store: store, apple: apple)
        canary.clock = stays.clock
        canary.catalog = Catalog([])
        let tried = canary
        try await stays.run { service in
            try await tried.run { _ in }
            // when: it is gone, and time goes on
            let job = try await service.start(.reevaluate, actor: nil)
            try await eventually {
                stays.clock.advance(to: stays.clock.now + .seconds(4))
                return try await service.storedJob(job.id).state != .running
            }
            // then
            #expect(try await service.storedJob(job.id).state == .done)
        }
    }
}
