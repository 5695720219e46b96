import CoreMetrics
import Synchronization

/// Counts how many values fell below each bound. Values are kept in whole ticks, so that a record is two additions.
final class HistogramSeries: Series, TimerHandler, RecorderHandler {
    struct Buckets: Sendable {
        let ticksPerUnit: Double
        /// Ascending, in ticks; at most 16.
        let bounds: [Int64]
        /// The bounds as the page shows them.
        let names: [String]

        private init(ticksPerUnit: Double, bounds: [Double]) {
            self.ticksPerUnit = ticksPerUnit
            self.bounds = bounds.map { Int64($0 * ticksPerUnit) }
            self.names = bounds.map(PrometheusPage.number)
        }

        /// From a tenth of a millisecond, a check, to five minutes, a notification that came late.
        static let seconds = Buckets(
            ticksPerUnit: 1e9,
            bounds: [
                0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300,
            ])
        static let counts = Buckets(
            ticksPerUnit: 1_000, bounds: (0..<16).map { Double(1 << $0) })
    }

    private let buckets: Buckets
    /// The last one is for what is beyond every bound.
    private let counts: InlineArray<17, Atomic<Int64>> = InlineArray { _ in Atomic(0) }
    private let sum = Atomic<Int64>(0)

    init(_ buckets: Buckets) { self.buckets = buckets }

    func recordNanoseconds(_ duration: Int64) {
        self.record(ticks: Int64(Double(duration) / 1e9 * self.buckets.ticksPerUnit))
    }

    func record(_ value: Int64) {
        self.record(Double(value))
    }

    func record(_ value: Double) {
        let ticks = value * self.buckets.ticksPerUnit
        guard ticks.magnitude < 9e18 else { return }  // no number, or none that could be added
        self.record(ticks: Int64(ticks))
    }

    private func record(ticks: Int64) {
        let bucket = self.buckets.bounds.firstIndex { ticks <= $0 } ?? self.buckets.bounds.count
        self.counts[bucket].wrappingAdd(1, ordering: .relaxed)
        self.sum.wrappingAdd(ticks, ordering: .relaxed)
    }

    func write(to page: inout PrometheusPage, name: String, labels: [SeriesKey.Label]) {
        var total: Int64 = 0
        for (index, bound) in self.buckets.names.enumerated() {
            total += self.counts[index].load(ordering: .relaxed)
            page.sample("\(name)_bucket", labels + [.init(name: "le", value: bound)], String(total))
        }
        total += self.counts[self.buckets.names.count].load(ordering: .relaxed)
        page.sample("\(name)_bucket", labels + [.init(name: "le", value: "+Inf")], String(total))
        let sum = Double(self.sum.load(ordering: .relaxed)) / self.buckets.ticksPerUnit
        page.sample("\(name)_sum", labels, PrometheusPage.number(sum))
        page.sample("\(name)_count", labels, String(total))
    }
}
