import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts over HTTP, to the very address that the guard has looked at.
package final class HTTPWebhookTransport: WebhookTransport {
    /// By the specification between 15 and 30 seconds.
    package static let timeout = Duration.seconds(20)
    /// More of an answer is not read, and its connection not used again.
    private static let answerBytes = 64 << 10
    /// Nor longer than this, once its status is there: whatever waits for it keeps others from going out.
    private static let patience = Duration.seconds(1)

    /// Of one endpoint: as many as its courier has on their way.
    private static let connections = 64

    private let outbound: OutboundGuard
    private let agent: String
    private let timeout: Duration
    private let clients = OutboundClients(connections: connections)

    /// - Parameters:
    ///   - agent: `User-Agent`.
    ///   - timeout: of one message, with its answer.
    package init(_ outbound: OutboundGuard, agent: String, timeout: Duration = HTTPWebhookTransport.timeout) {
        self.outbound = outbound
        self.agent = agent
        self.timeout = timeout
    }

    package func post(
        _ body: [UInt8], _ fields: [(name: String, value: String)], to target: WebhookTarget,
        of endpoint: String
    ) async throws(DeliveryFailure) -> WebhookAnswer {
        let addresses = try await self.outbound.addresses(of: target)
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: self.agent)
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let line = self.clients.line(of: endpoint, to: target.host, at: addresses)
        let end = ContinuousClock.now + self.timeout
        do {
            let response = try await line.client.execute(request, timeout: TimeAmount(self.timeout))
            await Self.pass(over: response.body, until: min(end, .now + Self.patience))
            return WebhookAnswer(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap { Int64($0) })
        } catch {
            self.clients.record(error, of: line)
            throw self.failure(error)
        }
    }

    /// The status is the answer, and what is behind it does not matter, or whether it ever ends: it is read so that its
    /// connection may be used again.
    private static func pass(over body: HTTPClientResponse.Body, until end: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            group.addTask { _ = try? await body.collect(upTo: Self.answerBytes) }
            group.addTask { try? await Task.sleep(until: end, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Messages are our own: an error of the client may hold the URL.
    private func failure(_ error: any Error) -> DeliveryFailure {
        switch error as? HTTPClientError {
        case .deadlineExceeded?, .readTimeout?, .writeTimeout?:
            DeliveryFailure("no answer in \(self.timeout.components.seconds) s", isAbsence: true)
        case .connectTimeout?, .tlsHandshakeTimeout?, .getConnectionFromPoolTimeout?:
            DeliveryFailure("no connection in time", isAbsence: true)
        case let other?: DeliveryFailure("no answer: \(other.shortDescription)", isAbsence: true)
        case nil: DeliveryFailure("no connection: \(type(of: error))", isAbsence: true)
        }
    }

    /// Lets go of all connections. Nothing may be posted afterwards.
    package func shutdown() async { await self.clients.shutdown() }
}
