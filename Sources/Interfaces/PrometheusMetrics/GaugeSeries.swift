import CoreMetrics
import Synchronization

final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    func set(_ value: Int64) {
        self.set(Double(value))
    }

    func increment(by amount: Double) {
        var old = self.bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, original) = self.bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = original
        }
    }

    func decrement(by amount: Double) {
        self.increment(by: -amount)
    }

    func record(_ value: Int64) {
        self.set(value)
    }

    func record(_ value: Double) {
        self.set(value)
    }

    func write(to page: inout PrometheusPage, name: String, labels: [SeriesKey.Label]) {
        page.sample(name, labels, PrometheusPage.number(Double(bitPattern: self.bits.load(ordering: .relaxed))))
    }
}
