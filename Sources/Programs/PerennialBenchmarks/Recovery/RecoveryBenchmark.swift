import AppStore
import AppStoreSimulator
import EventLog
import Foundation
import Reconciliation
import SQLiteStore
import Shards
import SubscriptionService
import Subscriptions

/// A node that has missed two months, and one that has missed a day, learn everything from Apple's Server API. The
/// simulated store runs in the same process: both share the processors.
struct RecoveryBenchmark: Benchmark {
    static let name = "recovery"
    static let abstract = "missed notifications caught up with, and what Apple is asked after a day's outage"
    static let isLong = true

    private static let subscribers = 80_000
    private static let outage = Milliseconds.days(1)
    /// Pages of the history that are fetched side by side.
    private static let width: Int64 = 6
    private static let bound = Duration.seconds(1_800)
    /// Of the store's time: in it a node asks four times about a renewal that stays out.
    private static let aftermath = Milliseconds.minutes(20)
    /// What differs is looked at again so often: it may be under way, or Apple's word of it may have come first.
    private static let looks = 20

    func run(in workspace: Workspace) async throws -> [Figure] {
        let folder = workspace.path("store")
        return try await UnheardStore.run(subscribers: Self.subscribers, in: folder) { apple in
            let time = apple.simulator.time
            workspace.say("  \(Self.subscribers) customers live two months")
            try await Patience.until("the present", every: .milliseconds(200), within: Self.bound) {
                apple.simulator.truths.settled > time.now - .minutes(1) && !apple.simulator.statistics.isBehind
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

            // The day begins now: that took more than a moment.
            try await Self.recover(apple, store, StandingClock(now: time.now - Self.outage)) { _ in }

            let before = apple.requests.byEndpoint
            let end = time.now + Self.aftermath
            let (calls, wrong) = try await Self.recover(apple, store, StoreClock(time: time), isTold: true) { service in
                workspace.say("  a day's outage: \(Self.calls(of: apple, since: before))")
                try await Patience.until("the end", every: .milliseconds(100), within: Self.bound) { time.now >= end }
                return (Self.calls(of: apple, since: before), try await Self.lastingDifferences(apple, service))
            }
            let (sold, subscriptions) = (apple.simulator.truths.ids(first: .max).count, apple.subscriptions)
            workspace.say("  and twenty minutes: \(calls) for \(subscriptions) subscriptions among \(sold) sold")
            for (id, difference) in wrong.prefix(5) { workspace.say("  \(id): \(difference)") }
            return [
                Figure(
                    "missed notifications caught up with, of fetching them alone",
                    Double(bare.count) / (caughtUp / .seconds(1)), "1/s",
                    baseline: Double(bare.count) / (bare.took / .seconds(1)), goal: .valueAtLeast(3_000)),
                Figure(
                    "requests after a day's outage and in twenty minutes, of one for each subscription",
                    Double(calls.values.reduce(0, +)), "requests", baseline: Double(subscriptions),
                    goal: .ratioAtMost(0.01)),
                Figure(
                    "answers that are not the store's truth then", Double(wrong.count), "answers",
                    goal: .valueAtMost(0)),
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
    /// - Parameter isTold: whether the store delivers to it.
    private static func recover<Value: Sendable>(
        _ apple: UnheardStore, _ store: any EventStore, _ clock: any WallClock, isTold: Bool = false,
        _ body: @escaping @Sendable (SubscriptionService) async throws -> Value
    ) async throws -> Value {
        let service = try apple.service(on: store, clock: clock)
        if isTold { apple.recipient.become(service) }
        return try await UnheardStore.during({ try await service.run() }) {
            try await Patience.until("nothing missing", every: .milliseconds(5), within: Self.bound) {
                try service.reconciliationReport().accounts[0].state == .covered
            }
            return try await body(service)
        }
    }

    /// Requests since the counts `before`, by endpoint.
    private static func calls(of apple: UnheardStore, since before: [String: Int]) -> [String: Int] {
        apple.requests.byEndpoint.merging(before) { $0 - $1 }
    }

    private static func lastingDifferences(
        _ apple: UnheardStore, _ service: SubscriptionService
    ) async throws -> [String: String] {
        var differences = try await apple.differences(from: service)
        for _ in 0..<Self.looks where !differences.isEmpty {
            try await Task.sleep(for: .seconds(1))
            differences = try await apple.differences(from: service, among: Array(differences.keys))
        }
        return differences
    }
}
