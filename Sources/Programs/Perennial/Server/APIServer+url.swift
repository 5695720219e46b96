import HTTPAPI

extension APIServer.Endpoint {
    /// How to reach it.
    var url: String { "\(self.isTLS ? "https" : "http")://\(self.host):\(self.port)" }
}
