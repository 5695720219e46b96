import AppStore
import Synchronization

/// Counts what is asked of Apple.
final class CountedRequests: ServerAPITransport {
    private let inner: any ServerAPITransport
    private let counts = Mutex<[String: Int]>([:])

    init(_ inner: any ServerAPITransport) { self.inner = inner }

    /// By the first words of the path.
    var byEndpoint: [String: Int] { self.counts.withLock { $0 } }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        let endpoint = request.path.split(separator: "/").prefix(3).joined(separator: "/")
        self.counts.withLock { $0[endpoint, default: 0] += 1 }
        return try await self.inner.send(request, timeout: timeout)
    }
}
