import CoreMetrics
import Synchronization

final class CounterSeries: Series, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        self.value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        self.value.store(0, ordering: .relaxed)
    }

    func write(to page: inout PrometheusPage, name: String, labels: [SeriesKey.Label]) {
        page.sample(name, labels, String(self.value.load(ordering: .relaxed)))
    }
}
