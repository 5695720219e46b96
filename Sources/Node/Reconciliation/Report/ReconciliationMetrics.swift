package import AppStore
import Metrics
import Shards
import Subscriptions

/// What reconciliation counts, as verbs.
package final class ReconciliationMetrics: ServerAPIObserver {
    package init() {}

    /// - Parameter code: Apple's errorCode, an HTTP status, or a word for no answer.
    package func answered(_ endpoint: ServerAPIEndpoint, code: String) {
        Counter(
            label: "perennial_apple_api_requests_total", dimensions: [("endpoint", endpoint.rawValue), ("code", code)]
        ).increment()
    }

    func setBudget(_ remaining: Double, of endpoint: ServerAPIEndpoint, _ account: ServerAPIAccount) {
        Gauge(
            label: "perennial_apple_api_budget_remaining",
            dimensions: [("endpoint", endpoint.rawValue)] + account.dimensions
        ).record(remaining)
    }

    func setUsable(_ isUsable: Bool, _ account: ServerAPIAccount) {
        Gauge(label: "perennial_apple_api_usable", dimensions: account.dimensions).record(isUsable ? 1 : 0)
    }

    func recordDrift(_ kind: DriftKind, of key: StreamKey) {
        Counter(
            label: "perennial_reconcile_drift_total", dimensions: [("kind", kind.rawValue)] + key.dimensions
        ).increment()
    }

    /// - Parameter result: Apple's `sendAttemptResult`.
    func recordFailedDeliveries(_ count: Int, _ result: String, _ account: ServerAPIAccount) {
        Counter(
            label: "perennial_apple_failed_deliveries_total", dimensions: [("result", result)] + account.dimensions
        ).increment(by: count)
    }

    func recordRecovered(_ count: Int) {
        Counter(label: "perennial_notifications_recovered_total").increment(by: count)
    }
}

extension ServerAPIAccount {
    fileprivate var dimensions: [(String, String)] {
        [("environment", self.environment.rawValue), ("app", self.bundleID.rawValue)]
    }
}
