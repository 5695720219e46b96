import Customers
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
        let number = Int(requests.first?.id.last ?? 0)
        // As nearly all are.
        if requests.count == 1 {
            return self.slot(number).counter(Labels(requests[0], results[0], consistency)).increment()
        }
        self.record(zip(requests, results).lazy.map { Labels($0, $1, consistency) }, number)
    }

    package func record(_ questions: [CustomerQuestion], _ results: [CustomerResult], _ consistency: Consistency) {
        let number = Int(questions.first?.customer.rawValue.utf8.last ?? 0)
        if questions.count == 1 {
            return self.slot(number).counter(Labels(questions[0], results[0], consistency)).increment()
        }
        self.record(zip(questions, results).lazy.map { Labels($0, $1, consistency) }, number)
    }

    /// - Parameter number: spreads those who count at the same time.
    private func slot(_ number: Int) -> Slot { self.slots[number & (self.slots.count - 1)] }

    private func record(_ labels: some Sequence<Labels>, _ number: Int) {
        var counts: [(labels: Labels, count: Int)] = []
        for labels in labels {
            if let index = counts.firstIndex(where: { $0.labels == labels }) {
                counts[index].count += 1
            } else {
                counts.append((labels, 1))
            }
        }
        let slot = self.slot(number)
        for (labels, count) in counts { slot.counter(labels).increment(by: count) }
    }
}

extension CheckMetrics.Labels {
    private static let environments: [AppStoreEnvironment] = [.production, .sandbox, .xcode, .localTesting]

    fileprivate init(_ request: CheckRequest, _ result: CheckResult, _ consistency: Consistency) {
        self.init(result.kind, consistency, request.environment, app: result.app)
    }

    fileprivate init(_ question: CustomerQuestion, _ result: CustomerResult, _ consistency: Consistency) {
        self.init(result.kind, consistency, question.environment, app: result.app)
    }

    private init(
        _ kind: CheckResult.Kind, _ consistency: Consistency, _ environment: AppStoreEnvironment, app: BundleID?
    ) {
        self.init(
            result: kind, consistency: consistency,
            environment: Self.environments.contains(environment) ? environment.rawValue : "",
            app: app?.rawValue ?? "")
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

extension CustomerResult {
    fileprivate var kind: CheckResult.Kind {
        switch self {
        case .refused: .refused
        case .answer(let answer, _) where answer.entitled: .entitled
        case .answer(_, .unknown): .unknown
        case .answer: .notEntitled
        }
    }

    fileprivate var app: BundleID? {
        guard case .answer(let answer, _) = self, case .stream(let key) = answer.by else { return nil }
        return key.bundleID
    }
}
