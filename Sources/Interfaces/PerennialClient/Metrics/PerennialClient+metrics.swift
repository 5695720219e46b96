import Metrics

extension PerennialClient {
    /// Tells the process's metrics, by swift-metrics, how the copy is, once a second until it is cancelled.
    func recordMetrics() async {
        let subscriptions = Gauge(label: "perennial_client_subscriptions")
        let ready = Gauge(label: "perennial_client_ready")
        while !Task.isCancelled {
            subscriptions.record(self.count)
            ready.record(self.isReady ? 1 : 0)
            // A gauge that nothing is recorded to would say that all is fresh.
            if let age = self.staleness {
                Gauge(label: "perennial_client_staleness_seconds").record(age / .seconds(1))
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
