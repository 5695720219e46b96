import Metrics
import Subscriptions
import Synchronization

/// Counts what checks were answered, by environment and app: nothing from Sandbox may colour Production's figures.
struct CheckMetrics: Sendable {
    private struct Labels: Hashable {
        var result: String
        var consistency: Consistency
        /// Empty unless Apple knows it: what callers write must not make series.
        var environment: String
        /// Of the stream that was found, else empty.
        var app: String
    }

    /// The counters that were used before. Several, so that checks seldom meet in one.
    private final class Slot: Sendable {
        private let counters = Mutex<[Labels: Counter]>([:])

        func counter(_ labels: Labels) -> Counter {
            self.counters.withLock { counters in
                if let counter = counters[labels] { return counter }
                let counter = Counter(
                    label: "perennial_checks_total",
                    dimensions: [
                        ("result", labels.result), ("consistency", labels.consistency.rawValue),
                        ("environment", labels.environment), ("app", labels.app),
                    ])
                counters[labels] = counter
                return counter
            }
        }
    }
    private let slots = (0..<16).map { _ in Slot() }

    private static let environments: Set<AppStoreEnvironment> = [.production, .sandbox, .xcode, .localTesting]

    func record(_ requests: [CheckRequest], _ results: [CheckResult], _ consistency: Consistency) {
        var counts: [Labels: Int] = [:]
        for (request, result) in zip(requests, results) {
            let environment = request.stream.environment
            let labels = Labels(
                result: result.label, consistency: consistency,
                environment: Self.environments.contains(environment) ? environment.rawValue : "",
                app: result.app?.rawValue ?? "")
            counts[labels, default: 0] += 1
        }
        let slot = self.slots[(requests.first?.stream.id.hashValue ?? 0) & (self.slots.count - 1)]
        for (labels, count) in counts { slot.counter(labels).increment(by: count) }
    }
}

extension CheckResult {
    fileprivate var label: String {
        switch self {
        case .refused: "refused"
        case .verdict(let verdict) where verdict.entitled: "entitled"
        case .verdict(let verdict) where verdict.state == nil: "unknown"
        case .verdict: "notEntitled"
        }
    }

    fileprivate var app: BundleID? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict.bundleID
    }
}
