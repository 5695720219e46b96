package import PrometheusMetrics

extension PrometheusRegistry {
    /// Of a series by its name and labels, as the page has it; nil where there is none.
    package func value(of series: String) -> Double? {
        PrometheusPage(self).text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
            .flatMap { Double($0.dropFirst(series.count + 1)) }
    }
}
