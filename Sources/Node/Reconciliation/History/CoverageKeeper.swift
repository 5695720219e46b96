import AppStore
import EventLog
import Logging
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Sees to it that nothing of what Apple sends for one account stays missing: fetches what came while no node was there,
/// and looks regularly at what Apple could not deliver. The owner of the account's shard does it, for all nodes.
struct CoverageKeeper: Sendable {
    /// Of real time, whatever the clock runs on.
    private static let pause = Duration.seconds(1)
    private static let savingInterval = Duration.seconds(10)
    /// Silence of the keeper itself for so long is a gap: a node that takes over is there much sooner.
    private static let tolerance = Milliseconds.minutes(1)
    /// Between two looks at failed deliveries.
    private static let failureInterval = Milliseconds.minutes(5)
    /// Clocks differ, and an attempt may be under way for a while before it has failed.
    private static let margin = Milliseconds.hours(1)
    /// The history judges by the first attempt; a later one may have fallen into the gap. Apple gives up within seven days.
    private static let retrySpan = Milliseconds.days(7)
    private static let longestPause = Duration.minutes(5)
    private static let tellingInterval = Duration.minutes(5)

    let client: ServerAPIClient
    let router: ShardRouter
    let history: HistoryReader
    let tally: ReconciliationTally
    let troubles: AccountTroubles
    let metrics: ReconciliationMetrics
    let clock: any WallClock
    let logger: Logger

    private var account: ServerAPIAccount { self.client.account }
    private var name: String { Coverage.name(of: self.account.bundleID, self.account.environment) }

    private var isOurs: Bool {
        let key = StreamKey(
            kind: .test, id: "test:\(self.account.bundleID.rawValue)", environment: self.account.environment,
            bundleID: self.account.bundleID)
        return self.router.parts(of: key).isOurs && self.router.parts(of: key).status.isServing
    }

    /// Until it is cancelled.
    func run() async {
        var watch = Watch()
        var pause = Self.pause
        while !Task.isCancelled {
            do {
                if self.isOurs {
                    try await self.step(&watch)
                } else {
                    watch = Watch()
                    self.set(.elsewhere)
                }
                pause = Self.pause
            } catch {
                self.troubles.note(error, of: self.account)
                pause = min(pause * 2, Self.longestPause)
            }
            try? await Task.sleep(for: pause)
        }
    }

    /// What is known of the time since the last step.
    private struct Watch {
        var coverage: Coverage?
        var saved: ContinuousClock.Instant?
        /// Deliveries that failed since the last line about them in the log.
        var failures: [String: Int] = [:]
        var told: ContinuousClock.Instant?
    }

    private func step(_ watch: inout Watch) async throws {
        let now = self.clock.now
        guard var coverage = try await self.coverage(watch, at: now) else {
            // A store without a past: what was before it is for `notifications backfill`. Failures are looked at soon, so
            // that wrong credentials show at once.
            let coverage = Coverage(until: now, failuresUntil: now - Self.failureInterval)
            try await self.save(coverage, in: &watch)
            return self.covered(coverage)
        }
        if self.hasGap(coverage, watch, at: now) {
            try await self.recover(&coverage, at: now)
            try await self.save(coverage, in: &watch)
        } else if watch.saved == nil {
            try await self.readAgain(since: coverage.until, at: now)
        } else if now.milliseconds - coverage.failuresUntil.milliseconds >= Self.failureInterval.rawValue {
            let failures = try await self.readFailures(&coverage, at: now)
            watch.failures.merge(failures) { $0 + $1 }
            self.tell(&watch)
        }
        coverage.until = max(coverage.until, now)
        watch.coverage = coverage
        if watch.saved.map({ .now - $0 >= Self.savingInterval }) ?? true { try await self.save(coverage, in: &watch) }
        self.covered(coverage)
    }

    private func coverage(_ watch: Watch, at now: Moment) async throws -> Coverage? {
        if let coverage = watch.coverage { return coverage }
        let stored = try await self.router.store.bookmarks([self.name])[self.name]
        return stored.flatMap { Coverage(bytes: $0) }
    }

    /// A keeper that goes on measures by the monotonic clock: the other may run fast, or be set.
    private func hasGap(_ coverage: Coverage, _ watch: Watch, at now: Moment) -> Bool {
        guard let saved = watch.saved else {
            return now.milliseconds - coverage.until.milliseconds > Self.tolerance.rawValue
        }
        return ContinuousClock.now - saved > .milliseconds(Self.tolerance.rawValue)
    }

    private func recover(_ coverage: inout Coverage, at now: Moment) async throws {
        self.set(.recovering)
        self.logger.notice(
            "Notifications may have been missed: Apple's history is read",
            metadata: self.metadata([.from: "\(coverage.until.rfc3339)", .to: "\(now.rfc3339)"]))
        let environment = self.account.environment
        let gap = RecoveryWindow(start: coverage.until - Self.margin, end: now).clamped(to: environment, now: now)
        var reading = try await self.history.read(gap, onlyFailures: false, from: self.client, urgency: .urgent)
        let before = RecoveryWindow(start: now - Self.retrySpan, end: gap.start).clamped(to: environment, now: now)
        reading += try await self.history.read(before, onlyFailures: true, from: self.client, urgency: .urgent)
        coverage.until = now
        coverage.failuresUntil = now
        self.note(reading)
        self.logger.notice(
            "Apple's history is read: nothing is missing",
            metadata: self.metadata([
                .fetched: "\(reading.progress.fetched)", .recorded: "\(reading.progress.recorded)",
                .calls: "\(reading.progress.calls)",
            ]))
    }

    /// At each start: a database that failed over may have lost its newest commits, which Apple takes for delivered, and the
    /// bookmark of these moments with them.
    private func readAgain(since moment: Moment, at now: Moment) async throws {
        let window = RecoveryWindow(start: moment - Self.tolerance, end: now)
        let reading = try await self.history.read(
            window.clamped(to: self.account.environment, now: now), onlyFailures: false, from: self.client,
            urgency: .urgent)
        self.note(reading)
        guard reading.progress.recorded > 0 else { return }
        self.logger.notice(
            "Notifications that the store had lost were fetched",
            metadata: self.metadata([.recorded: "\(reading.progress.recorded)"]))
    }

    private func readFailures(_ coverage: inout Coverage, at now: Moment) async throws -> [String: Int] {
        // In fast time a request takes long: twice what has passed is enough for what was under way.
        let passed = now.milliseconds - coverage.failuresUntil.milliseconds
        let window = RecoveryWindow(start: now - Milliseconds(rawValue: passed * 2), end: now)
        let reading = try await self.history.read(
            window.clamped(to: self.account.environment, now: now), onlyFailures: true, from: self.client,
            urgency: .urgent)
        coverage.failuresUntil = now
        self.note(reading)
        return reading.failures
    }

    /// At once when it begins, and then now and then.
    private func tell(_ watch: inout Watch) {
        guard !watch.failures.isEmpty, watch.told.map({ .now - $0 >= Self.tellingInterval }) ?? true else { return }
        let results = watch.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        self.logger.warning(
            "Apple could not deliver notifications to this system; they were fetched",
            metadata: self.metadata([.reason: "\(results.joined(separator: ", "))"]))
        watch.failures = [:]
        watch.told = .now
    }

    private func note(_ reading: HistoryReader.Reading) {
        self.troubles.end(of: self.account)
        for (result, count) in reading.failures { self.metrics.recordFailedDeliveries(count, result, self.account) }
        self.tally.update(self.account) { $0.failedDeliveries.merge(reading.failures) { $0 + $1 } }
    }

    private func save(_ coverage: Coverage, in watch: inout Watch) async throws {
        try await self.router.store.setBookmarks([self.name: coverage.bytes])
        watch.coverage = coverage
        watch.saved = .now
    }

    private func covered(_ coverage: Coverage) {
        self.tally.update(self.account) { $0.coveredUntil = coverage.until }
        self.set(.covered)
    }

    private func set(_ state: ReconciliationReport.Account.State) {
        self.tally.update(self.account) { $0.state = state }
    }

    private func metadata(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        .runtime(
            values.merging([
                .app: "\(self.account.bundleID.rawValue)", .environment: "\(self.account.environment.rawValue)",
            ]) { $1 })
    }
}

extension Duration {
    fileprivate static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
}
