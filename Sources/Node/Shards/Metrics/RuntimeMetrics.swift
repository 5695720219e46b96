import EventLog
import Metrics
import Subscriptions
import Synchronization

/// What the runtime counts and measures for the whole node, as verbs. What is counted with every request stands in
/// `ShardMetrics`, so that requests share no lock here.
package final class RuntimeMetrics: Sendable {
    private struct Shards {
        var owned: [ShardID: Epoch] = [:]
        var overdue: [ShardID: Int] = [:]
    }

    private let shards = Mutex(Shards())
    private let subscriptions = Mutex<[SubscriptionsLabels: Meter]>([:])

    struct SubscriptionsLabels: Hashable {
        var state: LifecycleState
        var environment: AppStoreEnvironment
        var app: BundleID

        /// nil before the first fact, which is not counted.
        init?(_ state: LifecycleState?, of key: StreamKey) {
            guard let state else { return nil }
            self.state = state
            self.environment = key.environment
            self.app = key.bundleID
        }
    }

    private let appendSeconds = Timer(label: "perennial_append_seconds")
    private let appendBatchEvents = Recorder(label: "perennial_append_batch_events")
    private let shardsOwned = Gauge(label: "perennial_shards_owned")
    private let highestEpoch = Gauge(label: "perennial_shard_epoch_highest")
    private let epochsBegun = Counter(label: "perennial_shard_epochs_total")
    private let leaseSecondsLeft = Gauge(label: "perennial_lease_seconds_left")
    private let shardsTaken = Counter(label: "perennial_shards_taken_total")
    private let shardsGiven = Counter(label: "perennial_shards_given_total")
    private let handOffSeconds = Timer(label: "perennial_handoff_seconds")
    private let timersOverdue = Gauge(label: "perennial_timers_overdue")
    private let inboxDepth = Gauge(label: "perennial_inbox_depth")
    private let inboxAge = Gauge(label: "perennial_inbox_age_seconds")
    private let inboxParked = Gauge(label: "perennial_inbox_parked")
    private let quarantineDepth = Gauge(label: "perennial_quarantine_depth")
    private let clockOffset = Gauge(label: "perennial_clock_offset_seconds")
    private let parked = Counter(label: "perennial_parked_total")
    private let unknownCommits = Counter(label: "perennial_unknown_commits_total")
    private let fenced = Counter(label: "perennial_fenced_total")
    private let acknowledged = Timer(label: "perennial_notification_ack_seconds")
    private let verified = Timer(label: "perennial_verification_seconds")
    private let checked = Timer(label: "perennial_check_seconds")

    // MARK: Shards

    package init() {}

    /// An epoch begins: the shard was taken or given, or taken again after a commit of unknown outcome.
    func recordOwned(_ shard: ShardID, under epoch: Epoch) {
        self.epochsBegun.increment()
        self.setEpoch(epoch, of: shard)
    }

    func recordLost(_ shard: ShardID) { self.setEpoch(nil, of: shard) }

    private func setEpoch(_ epoch: Epoch?, of shard: ShardID) {
        self.shards.withLock { shards in
            shards.owned[shard] = epoch
            // Not later: of two who come at once, the one who counted first might have the last word.
            self.shardsOwned.record(shards.owned.count)
            self.highestEpoch.record(shards.owned.values.max()?.rawValue ?? 0)
        }
    }

    func recordTaken(_ count: Int) { self.shardsTaken.increment(by: count) }

    /// - Parameter duration: from when the shard took nothing more.
    func recordGiven(took duration: Duration) {
        self.shardsGiven.increment()
        self.handOffSeconds.record(duration: duration)
    }

    /// Not below zero.
    func setLease(_ remaining: Duration) { self.leaseSecondsLeft.record(max(.zero, remaining) / .seconds(1)) }

    func setOverdue(_ count: Int, of shard: ShardID) {
        self.shards.withLock { shards in
            shards.overdue[shard] = count
            self.timersOverdue.record(shards.overdue.values.reduce(0, +))
        }
    }

    package var ownedCount: Int { self.shards.withLock { $0.owned.count } }

    package var overdueCount: Int { self.shards.withLock { $0.overdue.values.reduce(0, +) } }

    func setClockOffset(_ offset: Milliseconds) { self.clockOffset.record(Double(offset.rawValue) / 1_000) }

    /// Moves the gauge of subscriptions.
    func count(_ labels: SubscriptionsLabels, by change: Int) {
        let meter = self.subscriptions.withLock { meters in
            if let meter = meters[labels] { return meter }
            let meter = Meter(
                label: "perennial_subscriptions",
                dimensions: [
                    ("state", labels.state.rawValue), ("environment", labels.environment.rawValue),
                    ("app", labels.app.rawValue),
                ])
            meters[labels] = meter
            return meter
        }
        meter.increment(by: Double(change))
    }

    // MARK: Commits

    func recordAppend(took duration: Duration, events: Int) {
        self.appendSeconds.record(duration: duration)
        self.appendBatchEvents.record(events)
    }

    func recordUnknownCommit() { self.unknownCommits.increment() }

    func recordFenced() { self.fenced.increment() }

    func recordParked() { self.parked.increment() }

    // MARK: Requests

    package func recordAcknowledged(took duration: Duration) { self.acknowledged.record(duration: duration) }

    package func recordVerification(took duration: Duration) { self.verified.record(duration: duration) }

    package func recordCheck(took duration: Duration) { self.checked.record(duration: duration) }

    package func recordVerificationFailure(_ class: String) {
        Counter(label: "perennial_verification_failures_total", dimensions: [("class", `class`)]).increment()
    }

    /// A notification that leads to no stream: it was refused, or set aside.
    package func recordUnplaced(_ result: String) {
        Counter(
            label: "perennial_notifications_total",
            dimensions: [("type", ""), ("subtype", ""), ("environment", ""), ("app", ""), ("result", result)]
        ).increment()
    }

    func setInbox(_ depth: InboxDepth, at now: Moment) {
        self.inboxDepth.record(depth.waiting)
        self.inboxParked.record(depth.parked)
        let age = depth.oldest.map { now.milliseconds - $0 } ?? 0
        self.inboxAge.record(max(0, Double(age) / 1_000))
    }

    package func setQuarantineDepth(_ depth: Int) { self.quarantineDepth.record(depth) }
}

extension StreamKey {
    /// Nothing from one environment or app may colour the numbers of another.
    package var dimensions: [(String, String)] {
        [("environment", self.environment.rawValue), ("app", self.bundleID.rawValue)]
    }
}
