import Metrics
import PrometheusMetrics

/// What the HTTP side itself counts; what a request leads to is measured by the service.
struct HTTPMetrics: Sendable {
    private struct AnswerKey: Hashable {
        let route: String
        /// The first digit.
        let status: Int
    }

    private let registry: PrometheusRegistry
    /// Made once, because every request uses one.
    private let answers: [AnswerKey: Counter]
    private let connections: Gauge
    private let requests: Gauge

    init(registry: PrometheusRegistry) {
        self.registry = registry
        var answers: [AnswerKey: Counter] = [:]
        for route in Set(Route.all.map(\.path)).union([Self.noRoute]) {
            for status in 2...5 {
                answers[AnswerKey(route: route, status: status)] = Counter(
                    label: "perennial_http_requests_total",
                    dimensions: [("route", route), ("status", "\(status)xx")], factory: registry)
            }
        }
        self.answers = answers
        self.connections = Gauge(label: "perennial_http_connections", dimensions: [], factory: registry)
        self.requests = Gauge(label: "perennial_http_requests_in_flight", dimensions: [], factory: registry)
    }

    /// For requests whose path is no route's.
    static let noRoute = "none"

    func recordAnswer(route: String, status: Int) {
        self.answers[AnswerKey(route: route, status: status / 100)]?.increment()
    }

    func page(_ admission: Admission) -> PrometheusPage {
        self.connections.record(admission.openConnections)
        self.requests.record(admission.requestsInFlight)
        return PrometheusPage(self.registry)
    }
}
