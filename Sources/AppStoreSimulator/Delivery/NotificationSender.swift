import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts one notification as the App Store does, and tells what came of it.
struct NotificationSender: Sendable {
    let url: String
    private let client: HTTPClient

    init(url: String, client: HTTPClient) {
        self.url = url
        self.client = client
    }

    /// A redirect is no success, so none is followed.
    static func makeClient(connections: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.timeout.connect = .seconds(3)
        // Retrying is the schedule's business, not the client's.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }

    func send(_ notification: SignedNotification) async -> SendAttempt.Result {
        var request = HTTPClientRequest(url: self.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
        request.headers.add(name: "User-Agent", value: "AppStore/1.0")
        request.body = .bytes(notification.body)
        do {
            let response = try await self.client.execute(request, timeout: .seconds(10))
            for try await _ in response.body {}
            return (200...206).contains(response.status.code) ? .success : .unsuccessfulCode
        } catch {
            return switch error as? HTTPClientError {
            case .deadlineExceeded, .readTimeout: .timedOut
            case .remoteConnectionClosed: .socketIssue
            default: .noResponse
            }
        }
    }
}
