import Metrics

extension PerennialClient {
    /// Tells the process's metrics, by swift-metrics, how the copy is, once a second until it is cancelled.
    func recordMetrics() async {
        let subscriptions = Gauge(label: "perennial_client_subscriptions")
        let ready = Gauge(label: "perennial_client_ready")
        let staleness = Gauge(label: "perennial_client_staleness_seconds")
        while !Task.isCancelled {
            subscriptions.record(self.count)
            ready.record(self.isReady ? 1 : 0)
            if let age = self.staleness { staleness.record(age / .seconds(1)) }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
