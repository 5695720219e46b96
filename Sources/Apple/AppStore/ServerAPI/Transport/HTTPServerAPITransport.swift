package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends requests over HTTPS.
package struct HTTPServerAPITransport: ServerAPITransport {
    /// Above what any client takes.
    private static let maximumAnswerBytes = 8 << 20

    private let client: HTTPClient

    package init(client: HTTPClient) { self.client = client }

    package func send(
        _ request: ServerAPIRequest, timeout: Duration
    ) async throws(ServerAPIError) -> ServerAPIAnswer {
        var post = HTTPClientRequest(url: request.url)
        post.method = HTTPMethod(rawValue: request.method.rawValue)
        for header in request.headers { post.headers.add(name: header.name, value: header.value) }
        if let body = request.body { post.body = .bytes(body) }
        do {
            let response = try await self.client.execute(post, timeout: TimeAmount(timeout))
            let body = try await response.body.collect(upTo: Self.maximumAnswerBytes)
            return ServerAPIAnswer(
                status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
                body: Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            throw ServerAPIError(.tooLarge, "the answer has more than \(Self.maximumAnswerBytes) bytes")
        } catch {
            throw Self.failure(error)
        }
    }

    /// Messages are our own: an error of the client may hold the request.
    private static func failure(_ error: any Error) -> ServerAPIError {
        if Task.isCancelled || error is CancellationError { return .cancelled }
        switch error as? HTTPClientError {
        case .cancelled?: return .cancelled
        case .deadlineExceeded?, .readTimeout?, .writeTimeout?: return .timedOut
        case .connectTimeout?, .tlsHandshakeTimeout?, .getConnectionFromPoolTimeout?:
            return ServerAPIError(.notReached, "no connection to the App Store in time")
        case let other?: return ServerAPIError(.notReached, "the App Store was not reached: \(other.shortDescription)")
        case nil: return ServerAPIError(.notReached, "the App Store was not reached: \(type(of: error))")
        }
    }
}
