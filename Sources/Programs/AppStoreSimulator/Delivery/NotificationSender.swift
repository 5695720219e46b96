package import AsyncHTTPClient
package import NIOCore
import NIOHTTP1
import Synchronization

/// Posts one notification as the App Store does, and tells what came of it.
package struct NotificationSender: Sendable {
    /// All copies of a sender have it in common.
    private final class LastTaker: Sendable { let index = Mutex(0) }

    private let urls: [String]
    /// Where the next notification goes first: who has gone is noticed once, and not with each of them.
    private let lastTaker = LastTaker()
    private let client: HTTPClient
    private let patience: TimeAmount

    /// - Parameters:
    ///   - urls: one, or several that will do alike, as behind a balancer.
    ///   - client: from `makeClient`.
    ///   - patience: how long each may take for it all, from the connection to the end of the answer.
    package init(urls: [String], client: HTTPClient, patience: TimeAmount) {
        self.urls = urls
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

    /// Ends with the first address that takes it.
    ///
    /// - Returns: what came of it at the last one that was tried.
    package func send(_ notification: SignedNotification) async -> SendAttempt.Result {
        let first = self.lastTaker.index.withLock { $0 }
        var result = SendAttempt.Result.other
        for index in self.urls.indices.map({ (first + $0) % self.urls.count }) {
            result = await self.send(notification, to: self.urls[index])
            guard result != .success else {
                self.lastTaker.index.withLock { $0 = index }
                break
            }
        }
        return result
    }

    private func send(_ notification: SignedNotification, to url: String) async -> SendAttempt.Result {
        await withTaskGroup(of: SendAttempt.Result?.self) { group in
            group.addTask { await self.exchange(notification, with: url) }
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

    private func exchange(_ notification: SignedNotification, with url: String) async -> SendAttempt.Result {
        var request = HTTPClientRequest(url: url)
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
