import Metrics
package import ServiceContract
import Subscriptions
import Synchronization

/// Counts what checks were answered, by environment and app: nothing from Sandbox may colour Production's figures.
package struct CheckMetrics: Sendable {
    fileprivate struct Labels: Equatable {
        var result: CheckResult.Kind
        var consistency: Consistency
        /// Empty unless Apple knows it: what callers write must not make series.
        var environment: String
        /// Of the stream that was found, else empty.
        var app: String
    }

    /// The counters that were used before: few, and searched faster than hashed. Several slots, so that checks seldom
    /// meet in one.
    private final class Slot: Sendable {
        private let counters = Mutex<[(labels: Labels, counter: Counter)]>([])

        func counter(_ labels: Labels) -> Counter {
            self.counters.withLock { counters in
                if let known = counters.first(where: { $0.labels == labels }) { return known.counter }
                let counter = Counter(
                    label: "perennial_checks_total",
                    dimensions: [
                        ("result", labels.result.rawValue), ("consistency", labels.consistency.rawValue),
                        ("environment", labels.environment), ("app", labels.app),
                    ])
                counters.append((labels, counter))
                return counter
            }
        }
    }
    private let slots = (0..<16).map { _ in Slot() }

    package init() {}

    package func record(_ requests: [CheckRequest], _ results: [CheckResult], _ consistency: Consistency) {
        let slot = self.slots[Int(requests.first?.id.last ?? 0) & (self.slots.count - 1)]
        if requests.count == 1 {
            return slot.counter(Labels(requests[0], results[0], consistency)).increment()
        }
        var counts: [(labels: Labels, count: Int)] = []
        for (request, result) in zip(requests, results) {
            let labels = Labels(request, result, consistency)
            if let index = counts.firstIndex(where: { $0.labels == labels }) {
                counts[index].count += 1
            } else {
                counts.append((labels, 1))
            }
        }
        for (labels, count) in counts { slot.counter(labels).increment(by: count) }
    }
}

extension CheckMetrics.Labels {
    private static let environments: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]

    fileprivate init(_ request: CheckRequest, _ result: CheckResult, _ consistency: Consistency) {
        let environment = request.environment
        self.init(
            result: result.kind, consistency: consistency,
            environment: Self.environments.contains(environment) ? environment.rawValue : "",
            app: result.app?.rawValue ?? "")
    }
}

extension CheckResult {
    fileprivate enum Kind: String {
        case refused, entitled, unknown, notEntitled
    }

    fileprivate var kind: Kind {
        switch self {
        case .refused: .refused
        case .verdict(let verdict) where verdict.entitled: .entitled
        case .verdict(let verdict) where verdict.state == nil: .unknown
        case .verdict: .notEntitled
        }
    }

    fileprivate var app: BundleID? {
        guard case .verdict(let verdict) = self else { return nil }
        return verdict.bundleID
    }
}
