import Metrics
package import Subscriptions
import Synchronization
import WireProtocol

/// What is counted with every request, with the labels of the stream it is about; each shard has its own.
package final class ShardMetrics: Sendable {
    private struct NotificationLabels: Hashable {
        var type: String
        var subtype: String
        var environment: AppStoreEnvironment
        var app: BundleID
        var result: String
    }

    private struct FreshnessLabels: Hashable {
        var source: EventSource
        var environment: AppStoreEnvironment
        var app: BundleID
    }

    /// Ten years. A signature may be as old as it likes, and a timer counts nanoseconds in 64 bits.
    private static let longestFreshness: Int64 = 3_650 * 86_400_000

    private let notifications = Mutex<[NotificationLabels: Counter]>([:])
    private let freshness = Mutex<[FreshnessLabels: Timer]>([:])

    package func recordNotification(_ notification: NotificationIdentity?, of key: StreamKey, result: String) {
        let labels = NotificationLabels(
            type: notification?.type ?? "", subtype: notification?.subtype ?? "", environment: key.environment,
            app: key.bundleID, result: result)
        let counter = self.notifications.withLock { counters in
            if let counter = counters[labels] { return counter }
            let counter = Counter(
                label: "perennial_notifications_total",
                dimensions: [("type", labels.type), ("subtype", labels.subtype)] + key.dimensions
                    + [("result", result)])
            counters[labels] = counter
            return counter
        }
        counter.increment()
    }

    /// What `submission` says can be read by everybody from now on.
    func recordVisible(_ submission: Submission, at now: Moment) {
        let (key, bundle) = (submission.key, submission.bundle)
        let labels = FreshnessLabels(source: bundle.source, environment: key.environment, app: key.bundleID)
        let timer = self.freshness.withLock { timers in
            if let timer = timers[labels] { return timer }
            let timer = Timer(
                label: "perennial_freshness_seconds",
                dimensions: [("source", bundle.source.rawValue)] + key.dimensions)
            timers[labels] = timer
            return timer
        }
        let age = now.milliseconds - bundle.signedDate.milliseconds
        timer.recordMilliseconds(min(max(0, age), Self.longestFreshness))
    }
}
