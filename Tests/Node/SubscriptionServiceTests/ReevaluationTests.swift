import Entitlements
import EventLog
import Foundation
import InMemoryStore
import Jobs
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Rules, catalog or version change, and with them answers: each is told once.
@Suite(.timeLimit(.minutes(10))) struct ReevaluationTests {
    static func node(_ store: any EventStore = InMemoryEventStore(shardCount: 16)) throws -> Node {
        _ = try store.raiseFeatureLevel(to: .supported)
        return try Node(store: store)
    }

    /// Subscriptions of these ids, bought a day before.
    static func subscribe(_ ids: some Sequence<Int>, on node: Node) async throws {
        let payloads = try ids.map { id in
            var life = TestSubscription(id: "\(id)", from: Node.start - .days(1))
            return try node.apple.sign(life.subscribe())
        }
        try await node.run { for payload in payloads { _ = try await $0.ingest(signedPayload: payload) } }
    }

    static func told(_ id: Int, _ service: SubscriptionService) async throws -> [Reevaluation] {
        try await service.history(StreamReference(id: "\(id)")).compactMap(\.event.reevaluation)
    }

    static func end(of job: Job, _ service: SubscriptionService) async throws -> Job {
        try await eventually { try await service.storedJob(job.id).state != .running }
        return try await service.storedJob(job.id)
    }

    static func reevaluate(_ service: SubscriptionService) async throws -> Job {
        try await Self.end(of: service.start(.reevaluate, actor: "ops"), service)
    }

    @Test func `a changed setting is told of each stream whose answer it changes, once`() async throws {
        // given: two hours of leeway, and a lifetime purchase among the subscriptions
        var node = try Self.node()
        try await Self.subscribe(1...40, on: node)
        // when: the setting changes
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        let (first, second) = try await node.run { service in
            let jobs = (try await Self.reevaluate(service), try await Self.reevaluate(service))
            for id in 1...40 {
                // then
                let told = try await Self.told(id, service)
                #expect(told.count == 1)
                #expect(told.first?.previous.validUntil.map { $0 + .hours(7) } == told.first?.current.validUntil)
                #expect(told.first?.current.entitlements == ["pro"])
                let event = try #require(try await service.history(StreamReference(id: "\(id)")).last)
                #expect(event.event.source == .rules && event.event.kind == .reevaluated)
            }
            return jobs
        }
        #expect(first.state == .done && first.examined == 40 && first.changed == 40 && first.actor == "ops")
        #expect(second.state == .done && second.examined == 40 && second.changed == 0)
        // and: what is read anew with the new settings says nothing more
        try await node.run { service in
            _ = try await Self.reevaluate(service)
            #expect(try await Self.told(7, service).count == 1)
        }
    }

    @Test func `the change stream tells it with the answers before and after`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...1, on: node)
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        try await node.run { service in
            let feed = try await service.feed(after: nil)
            _ = try await Self.reevaluate(service)
            var rounds = feed
            var found: ChangeView?
            try await eventually {
                guard case .changes(let changes) = try await rounds.next(limit: 100) else { return false }
                found = changes.map(\.change).first { $0.type == "subscription.reevaluated" }
                return found != nil
            }
            let change = try #require(found)
            #expect(change.previous?.validUntil.map { $0 + .hours(7) } == change.current?.validUntil)
            #expect(change.current?.entitled == true)
        }
    }

    @Test func `a product that leaves the catalog is told, and one that comes back too`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...20, on: node)
        let first = try await node.run { try await Self.reevaluate($0) }
        #expect(first.changed == 0)
        let catalogs = [["pro.yearly"], ["pro.monthly"]]
        for (number, products) in catalogs.enumerated() {
            node.clock.advance(to: node.clock.now + .hours(1))
            node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: products)])
            try await node.run { service in
                #expect(try await Self.reevaluate(service).changed == 20)
                let told = try await Self.told(3, service)
                #expect(told.count == number + 1)
                #expect(told.last?.previous.entitlements == (number == 0 ? ["pro"] : []))
                #expect(told.last?.current.entitlements == (number == 0 ? [] : ["pro"]))
                #expect(told.last?.current.entitled == true)
            }
        }
    }

    @Test func `two changes without a job between them are told as they were told before`() async throws {
        // given: a catalog that one stream alone has been told of, lazily
        var node = try Self.node()
        try await Self.subscribe(1...2, on: node)
        try await node.run { _ = try await Self.reevaluate($0) }
        node.clock.advance(to: node.clock.now + .hours(1))
        node.catalog = Catalog([])
        try await Self.tellLazily(1, on: node)
        // when: it is taken back
        node.clock.advance(to: node.clock.now + .hours(1))
        node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["pro.monthly"])])
        try await node.run { service in
            let job = try await Self.reevaluate(service)
            // then: only that one hears of it
            #expect(job.changed == 1)
            #expect(try await Self.told(1, service).map(\.current.entitlements) == [[], ["pro"]])
            #expect(try await Self.told(2, service).isEmpty)
        }
    }

    /// Has something told of a stream, until the change of rules is told before it.
    private static func tellLazily(_ id: Int, on node: Node) async throws {
        var life = TestSubscription(id: "\(id)", from: Node.start - .days(1))
        _ = life.subscribe()
        try await node.run { [life] service in
            var life = life
            try await eventually {
                life.wait(.minutes(1))
                _ = try await service.ingest(signedPayload: node.apple.sign(life.turnAutoRenew(false)))
                _ = try await service.ingest(signedPayload: node.apple.sign(life.turnAutoRenew(true)))
                return try await !Self.told(id, service).isEmpty
            }
            let events = try await service.history(StreamReference(id: "\(id)"))
            let place = try #require(events.firstIndex { $0.event.reevaluation != nil })
            #expect(place + 1 < events.count, "it stands before what it was found with")
        }
    }

    @Test func `a stream that is loaded is told by the way`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...1, on: node)
        node.configuration.rules.renewalLeeway[.production] = .minutes(1)
        node.catalog = Catalog([])
        try await Self.tellLazily(1, on: node)
        try await node.run { service in
            let (told, job) = (try await Self.told(1, service), try await Self.reevaluate(service))
            #expect(told.count == 1 && job.changed == 0)
        }
    }

    /// Of a subscription that awaits its renewal, with three days of leeway of which one is over.
    private static func awaitingRenewal() async throws -> Node {
        var node = try Self.node()
        node.configuration.rules.renewalLeeway[.production] = .days(3)
        try await Self.subscribe(1...1, on: node)
        node.clock.advance(to: node.clock.now + .days(30))
        try await node.run { service in
            try await eventually {
                try await service.history(StreamReference(id: "1")).contains { $0.event.kind == .awaitingRenewal }
            }
        }
        node.configuration.rules.renewalLeeway[.production] = .hours(2)
        return node
    }

    @Test func `a shorter leeway ends what has ended by it`() async throws {
        let node = try await Self.awaitingRenewal()
        try await node.run { service in
            _ = try await Self.reevaluate(service)
            let told = try await Self.told(1, service)
            #expect(told.count == 1 && told[0].previous.entitled && !told[0].current.entitled)
            #expect(try await service.check("1")?.entitled == false)
        }
    }

    @Test func `a job goes on where another node has left it`() async throws {
        // given: 600 streams, and a job that was begun by a node that has stopped since
        var node = try Self.node()
        try await Self.subscribe(1...600, on: node)
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        let store = node.store
        let job = try await node.run { try await $0.start(.reevaluate, actor: nil) }
        // when: nodes of other names run for a moment each, until it is done
        for number in 0..<100 {
            node.configuration.node = NodeID(rawValue: "n\(number)")
            let state = try await node.run { service in
                try await Task.sleep(for: .milliseconds(20))
                return try await service.storedJob(job.id).state
            }
            if state != .running { break }
        }
        node.store = store
        try await node.run { service in
            let end = try await Self.end(of: job, service)
            // then: each was told once, however often a page was begun
            #expect(end.state == .done && end.examined == 600)
            for id in stride(from: 1, through: 600, by: 7) {
                #expect(try await Self.told(id, service).count == 1)
            }
        }
    }

    /// Puts a job into the store that began with settings that nobody has: it waits.
    private static func hold(_ id: String, like job: Job, _ store: any EventStore) async throws {
        var held = job
        (held.id, held.state, held.ended, held.mark.rules) = (id, .running, nil, 7)
        try await store.setBookmarks(["job/\(id)": Array(try JSONEncoder().encode(held))])
    }

    @Test func `a job of settings that nobody has waits until it is cancelled`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...3, on: node)
        let first = try await node.run { try await Self.reevaluate($0) }
        try await Self.hold("one", like: first, node.store)
        // What this version cannot read is somebody else's.
        try await node.store.setBookmarks(["job/other": Array(#"{"kind":"unknown"}"#.utf8)])
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        try await node.run { service in
            try await eventually {
                try await service.storedJob("one").message?.contains("give all nodes the same") == true
            }
            #expect(try await service.storedJob("one").state == .running)
            let error = await #expect(throws: ServiceError.self) { try await service.start(.reevaluate, actor: nil) }
            #expect(error?.code == .otherRules)
            let cancelled = try await service.cancelJob("one")
            #expect(cancelled.state == .cancelled && cancelled.ended != nil)
            #expect(try await service.cancelJob("one") == cancelled)
            // when
            let job = try await service.start(.reevaluate, actor: nil)
            // then
            #expect(try await Self.end(of: job, service).changed == 3)
            #expect(try await service.allJobs().count == 3)
            _ = await #expect(throws: ServiceError.self) { try await service.storedJob("none") }
        }
    }

    @Test func `a timer that comes late tells what a shorter leeway has ended`() async throws {
        let node = try await Self.awaitingRenewal()
        node.clock.advance(to: node.clock.now + .days(10))
        // when: nobody asks for a job
        try await node.run { service in
            try await eventually { try await !Self.told(1, service).isEmpty }
            // then
            let told = try await Self.told(1, service)
            #expect(told.count == 1 && told[0].previous.entitled && !told[0].current.entitled)
            #expect(try await service.check("1")?.entitled == false)
        }
    }

    @Test func `transitions that had not been told are told by the timer, by the new leeway`() async throws {
        // given: the node stops before the period ends, and comes back after any leeway
        var node = try Self.node()
        node.configuration.rules.renewalLeeway[.production] = .days(3)
        try await Self.subscribe(1...1, on: node)
        node.clock.advance(to: node.clock.now + .days(40))
        node.configuration.rules.renewalLeeway[.production] = .hours(2)
        try await node.run { service in
            try await eventually {
                try await service.history(StreamReference(id: "1")).contains { $0.event.kind == .expired }
            }
            let events = try await service.history(StreamReference(id: "1"))
            #expect(events.map(\.event.kind) == [.subscribed, .reevaluated, .awaitingRenewal, .expired])
            let told = try #require(events[1].event.reevaluation)
            #expect(
                told.previous.entitled && told.current.entitled && told.previous.validUntil != told.current.validUntil)
        }
    }

    @Test func `a timer that comes late ends nothing that a longer leeway goes on with`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...1, on: node)
        node.clock.advance(to: node.clock.now + .days(30))
        node.configuration.rules.renewalLeeway[.production] = .days(9)
        try await node.run { service in
            try await eventually { try await !Self.told(1, service).isEmpty }
            let events = try await service.history(StreamReference(id: "1"))
            #expect(!events.contains { $0.event.kind == .expired })
            #expect(try await service.check("1")?.entitled == true)
            #expect(try await Self.told(1, service).first?.current.entitled == true)
        }
    }

    @Test func `a node that takes the catalog up later than another has what was told in between told again`()
        async throws
    {
        // given: a stream that was told by the old catalog after a first node had taken up the new one
        let store = InMemoryEventStore(shardCount: 16)
        var old = try Self.node(store)
        try await Self.subscribe(1...1, on: old)
        try await old.run { _ = try await Self.reevaluate($0) }
        let clock = old.clock
        var new = old
        (new.catalog, new.configuration.node) = (Catalog([]), NodeID(rawValue: "new"))
        clock.advance(to: clock.now + .hours(1))
        try await new.run { _ in }
        clock.advance(to: clock.now + .hours(1))
        try await Self.subscribe(2...2, on: old)
        clock.advance(to: clock.now + .hours(1))
        // when: the other node follows
        old.catalog = Catalog([])
        try await old.run { _ in }
        // then
        try await new.run { service in
            let (job, told) = (try await Self.reevaluate(service), try await Self.told(2, service))
            #expect(job.changed == 2)
            #expect(told.map(\.current.entitlements) == [[]])
        }
    }

    @Test func `nothing is told before the store's level lets it`() async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .registrations)
        var node = try Node(store: store)
        try await Self.subscribe(1...1, on: node)
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        try await node.run { service in
            _ = await #expect(throws: ServiceError.self) { try await service.start(.reevaluate, actor: nil) }
        }
        _ = store.raiseFeatureLevel(to: .supported)
        let job = try await node.run { try await Self.reevaluate($0) }
        #expect(job.changed == 1, "it is told then")
    }

    @Test func `a catalog of earlier times that cannot be read any more keeps nothing from being told`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...3, on: node)
        let notes = try await node.store.bookmarks(startingWith: "catalog/", after: nil, limit: 10)
        #expect(!notes.isEmpty)
        try await node.store.setBookmarks(Dictionary(uniqueKeysWithValues: notes.map { ($0.name, Array("x".utf8)) }))
        node.clock.advance(to: node.clock.now + .hours(1))
        node.catalog = Catalog([])
        node.configuration.rules.renewalLeeway[.production] = .hours(9)
        try await node.run { service in
            let job = try await Self.reevaluate(service)
            #expect(job.state == .done && job.changed == 3, "the leeway is told")
            #expect(try await Self.told(1, service).first?.previous.entitlements == [])
        }
    }

    @Test func `a row of other rules that answers alike is made anew without an event`() async throws {
        var node = try Self.node()
        try await Self.subscribe(1...20, on: node)
        node.configuration.rules.nonRenewingDuration["pass"] = .days(7)
        let job = try await node.run { try await Self.reevaluate($0) }
        #expect(job.state == .done && job.changed == 0)
        var rows: [StreamRow] = []
        for shard in node.store.identity.shards {
            rows += try await node.store.streams(in: shard, after: nil, limit: 100)
        }
        let made = rows.map { EntitlementRow.fingerprint(of: $0.entitlement) }
        #expect(made.count == 20 && Set(made) == [RulesFingerprint(node.configuration.rules)])
        #expect(rows.allSatisfy { $0.version == StreamVersion(rawValue: 1) })
    }

    @Test func `of the jobs that have ended the newest hundred are kept`() async throws {
        let node = try Self.node()
        let first = try await node.run { try await Self.reevaluate($0) }
        for number in 0..<130 {
            var ended = first
            (ended.id, ended.started) = ("old-\(number)", first.started - .hours(Int64(number + 1)))
            try await node.store.setBookmarks(["job/\(ended.id)": Array(try JSONEncoder().encode(ended))])
        }
        try await node.run { service in
            _ = try await Self.reevaluate(service)
            let jobs = try await service.allJobs()
            #expect(jobs.count == 100)
            #expect(jobs.contains { $0.id == first.id } && !jobs.contains { $0.id == "old-129" })
        }
    }
}
