package import AsyncHTTPClient
package import NIOCore
import NIOHTTP1

/// Posts one notification as the App Store does, and tells what came of it.
package struct NotificationSender: Sendable {
    private let url: String
    private let client: HTTPClient
    private let patience: TimeAmount

    /// - Parameters:
    ///   - client: from `makeClient`.
    ///   - patience: how long it may all take, from the connection to the end of the answer.
    package init(url: String, client: HTTPClient, patience: TimeAmount) {
        self.url = url
        self.client = client
        self.patience = patience
    }

    /// A redirect is no success, so none is followed.
    package static func makeClient(connections: Int, patience: TimeAmount) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.timeout.connect = patience
        // Retrying is the schedule's business, not the client's.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }

    package func send(_ notification: SignedNotification) async -> SendAttempt.Result {
        await withTaskGroup(of: SendAttempt.Result?.self) { group in
            group.addTask { await self.exchange(notification) }
            group.addTask { await self.runOut() }
            defer { group.cancelAll() }
            for await case let result? in group { return result }
            return .other
        }
    }

    /// The client's own deadline ends with the head of an answer, and its body may never.
    private func runOut() async -> SendAttempt.Result? {
        do { try await Task.sleep(for: .nanoseconds(self.patience.nanoseconds)) } catch { return nil }
        return .timedOut
    }

    private func exchange(_ notification: SignedNotification) async -> SendAttempt.Result {
        var request = HTTPClientRequest(url: self.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
        request.headers.add(name: "User-Agent", value: "AppStore/1.0")
        request.body = .bytes(notification.body)
        var hasHead = false
        do {
            let response = try await self.client.execute(request, timeout: self.patience)
            hasHead = true
            for try await _ in response.body {}
            return SendAttempt.Result(response)
        } catch {
            return SendAttempt.Result(error, hasHead: hasHead)
        }
    }
}
