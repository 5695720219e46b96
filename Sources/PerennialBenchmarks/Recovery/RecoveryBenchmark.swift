import AppStore
import AppStoreSimulator
import EventSourcing
import Foundation
import SQLiteStore
import SubscriptionRuntime
import Subscriptions

/// A node that has missed two months, and one that has missed a day, learn everything from Apple's Server API. The
/// simulated store runs in the same process: both share the processors.
struct RecoveryBenchmark: Benchmark {
    static let name = "recovery"
    static let abstract = "missed notifications caught up with, and what Apple is asked after a day's outage"
    static let isLong = true

    private static let subscribers = 80_000
    private static let outage = Milliseconds.days(1)
    /// Pages of the history that are fetched side by side, as a node does.
    private static let width: Int64 = 6
    private static let bound = Duration.seconds(1_800)
    /// Longer than a node waits before it asks about a renewal that is late.
    private static let quiet = Duration.seconds(25)

    func run(in workspace: Workspace) async throws -> [Figure] {
        let folder = workspace.path("store")
        return try await UnheardStore.run(subscribers: Self.subscribers, in: folder) { apple in
            let time = apple.simulator.time
            workspace.say("  \(Self.subscribers) customers live two months")
            try await Patience.until("the present", every: .milliseconds(200), within: Self.bound) {
                apple.simulator.truths.settled > SimulatedTime.realNow() - .minutes(1)
                    && !apple.simulator.statistics.isBehind
            }
            let stop = time.now - Self.outage
            let bare = try await Self.fetch(from: time.start, to: stop, of: apple)
            workspace.say("  fetched \(bare.count) notifications in \(bare.took)")

            let store = try SQLiteEventStore(configuration: SQLiteConfiguration(path: workspace.path("recovery.db")))
            defer { try? store.close() }
            try await Self.mark(time.start, apple, store)
            let start = ContinuousClock.now
            let caughtUp = try await Self.recover(apple, store, StandingClock(now: stop)) { _ in
                ContinuousClock.now - start
            }
            workspace.say("  caught up in \(caughtUp)")

            let asked = apple.requests.byEndpoint
            let sold = apple.simulator.truths.ids(first: .max).count
            try await Self.recover(apple, store, SystemClock()) { service in
                try await Self.settle(apple)
                let differences = try await apple.differences(from: service)
                guard differences.isEmpty else {
                    throw BenchmarkError("\(differences.count) are not as in the store: \(differences.prefix(5))")
                }
            }
            let calls = apple.requests.byEndpoint.merging(asked) { $0 - $1 }
            workspace.say("  a day's outage: \(calls) for \(sold) sold")
            let all = calls.values.reduce(0, +)
            return [
                Figure(
                    "missed notifications caught up with, of fetching them alone",
                    Double(bare.count) / (caughtUp / .seconds(1)), "1/s",
                    baseline: Double(bare.count) / (bare.took / .seconds(1)), goal: .valueAtLeast(3_000)),
                Figure(
                    "requests after a day's outage, of one for each subscription", Double(all), "requests",
                    baseline: Double(sold), goal: .ratioAtMost(0.01)),
            ]
        }
    }

    /// All pages, side by side, and nothing else.
    private static func fetch(
        from start: Moment, to end: Moment, of apple: UnheardStore
    ) async throws -> (count: Int, took: Duration) {
        let client = try apple.client()
        let length = Milliseconds(rawValue: (end.milliseconds - start.milliseconds) / Self.width)
        let began = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for part in 0..<Self.width {
                let from = start + Milliseconds(rawValue: length.rawValue * part)
                group.addTask {
                    var count = 0
                    let query = NotificationHistoryQuery(startDate: from, endDate: from + length)
                    for try await page in client.notificationHistoryPages(query) { count += page.items.count }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return (count, .now - began)
    }

    /// A node was there until `moment`.
    private static func mark(_ moment: Moment, _ apple: UnheardStore, _ store: any EventStore) async throws {
        let name = Coverage.name(of: apple.account.bundleID, apple.account.environment)
        try await store.setBookmarks([name: Coverage(until: moment, failuresUntil: moment).bytes])
    }

    /// Runs a node until it misses nothing, and then `body`.
    @discardableResult
    private static func recover<Value: Sendable>(
        _ apple: UnheardStore, _ store: any EventStore, _ clock: any WallClock,
        _ body: @escaping @Sendable (SubscriptionService) async throws -> Value
    ) async throws -> Value {
        let service = try apple.service(on: store, clock: clock)
        return try await UnheardStore.during({ try await service.run() }) {
            try await Patience.until("nothing missing", every: .milliseconds(5), within: Self.bound) {
                try service.reconciliationReport().accounts[0].state == .covered
            }
            return try await body(service)
        }
    }

    /// Until nothing more is asked.
    private static func settle(_ apple: UnheardStore) async throws {
        var (asked, since) = (apple.requests.all, ContinuousClock.now)
        try await Patience.until("no more questions", every: .milliseconds(100), within: Self.bound) {
            if apple.requests.all != asked { (asked, since) = (apple.requests.all, .now) }
            return ContinuousClock.now - since > Self.quiet
        }
    }
}
