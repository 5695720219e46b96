package import CoreMetrics
import Synchronization

/// A metrics backend of our own: keeps every series in memory, for the page that Prometheus reads. Recording takes no
/// lock; making a handler that exists already is a look-up under one of several.
package final class PrometheusRegistry: MetricsFactory {
    private let shards: InlineArray<16, Mutex<[SeriesKey: any Series]>>

    package init() {
        self.shards = InlineArray { _ in Mutex([:]) }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(label, dimensions, .counter) { CounterSeries() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.series(label, dimensions, .gauge) { GaugeSeries() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return self.series(label, dimensions, .gauge) { GaugeSeries() } }
        return self.histogram(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.histogram(label, dimensions)
    }

    // Series live as long as the process: a counter that vanished would read as a reset.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Every series there is, for the page.
    func allSeries() -> [(key: SeriesKey, series: any Series)] {
        var all: [(key: SeriesKey, series: any Series)] = []
        for index in self.shards.indices {
            self.shards[index].withLock { shard in
                all.append(contentsOf: shard.map { (key: $0.key, series: $0.value) })
            }
        }
        return all
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSeries {
        self.series(label, dimensions, .histogram) {
            HistogramSeries(label.hasSuffix("_seconds") ? .seconds : .counts)
        }
    }

    /// The series of that type, name and labels; made if it is not there.
    private func series<Kind: Series>(
        _ label: String, _ dimensions: [(String, String)], _ type: SeriesKey.MetricType, make: () -> Kind
    ) -> Kind {
        let key = SeriesKey(type: type, label: label, dimensions: dimensions)
        let shard = Int(UInt(bitPattern: key.hashValue) % UInt(self.shards.count))
        return self.shards[shard].withLock { series in
            if let known = series[key] as? Kind { return known }
            let made = make()
            series[key] = made
            return made
        }
    }
}

/// Names one series. Two of different types never meet, because the type is part of the key.
struct SeriesKey: Hashable {
    enum MetricType: String {
        case counter, gauge, histogram
    }

    let type: MetricType
    let name: String
    /// By name, so that the order in which they were given does not matter.
    let labels: [Label]

    struct Label: Hashable {
        let name: String
        let value: String
    }

    init(type: MetricType, label: String, dimensions: [(String, String)]) {
        self.type = type
        self.name = label
        self.labels = dimensions.map { Label(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
    }
}

protocol Series: AnyObject, Sendable {
    /// The lines of this series, without HELP and TYPE.
    func write(to page: inout PrometheusPage, name: String, labels: [SeriesKey.Label])
}
