import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Posts over HTTP, to the very address that the guard has looked at.
package final class HTTPWebhookTransport: WebhookTransport {
    /// By the specification between 15 and 30 seconds.
    private static let timeout = TimeAmount.seconds(20)
    /// More of an answer is not read, and its connection not used again.
    private static let answerBytes = 64 << 10

    /// To one host: as many as a courier has on their way.
    private static let connections = 64

    private struct Route: Hashable {
        var host: String
        var address: NetworkAddress
    }

    private let outbound: OutboundGuard
    private let agent: String
    /// A client connects a host's name to one address as long as it lives.
    private let clients = Mutex<[Route: HTTPClient]>([:])

    /// - Parameter agent: `User-Agent`.
    package init(_ outbound: OutboundGuard, agent: String) {
        self.outbound = outbound
        self.agent = agent
    }

    package func post(
        _ body: [UInt8], _ fields: [(name: String, value: String)], to target: WebhookTarget
    ) async throws(DeliveryFailure) -> WebhookAnswer {
        let address = try await self.outbound.address(of: target)
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: self.agent)
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let client = self.client(Route(host: target.host, address: address))
            let response = try await client.execute(request, timeout: Self.timeout)
            // What it says does not matter.
            _ = try? await response.body.collect(upTo: Self.answerBytes)
            return WebhookAnswer(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap { Int64($0) })
        } catch {
            throw Self.failure(error)
        }
    }

    private func client(_ route: Route) -> HTTPClient {
        self.clients.withLock { clients in
            if let client = clients[route] { return client }
            // A name that leads elsewhere now is not asked for its old address again.
            for (other, client) in clients where other.host == route.host {
                clients[other] = nil
                client.shutdown { _ in }
            }
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = .seconds(5)
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
            configuration.dnsOverride = [route.host: route.address.text]
            configuration.decompression = .disabled
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            clients[route] = client
            return client
        }
    }

    /// Messages are our own: an error of the client may hold the URL.
    private static func failure(_ error: any Error) -> DeliveryFailure {
        switch error as? HTTPClientError {
        case .deadlineExceeded?, .readTimeout?, .writeTimeout?:
            DeliveryFailure("no answer in \(Self.timeout.nanoseconds / 1_000_000_000) s", isAbsence: true)
        case .connectTimeout?, .tlsHandshakeTimeout?, .getConnectionFromPoolTimeout?:
            DeliveryFailure("no connection in time", isAbsence: true)
        case let other?: DeliveryFailure("no answer: \(other.shortDescription)", isAbsence: true)
        case nil: DeliveryFailure("no connection: \(type(of: error))", isAbsence: true)
        }
    }

    /// Lets go of all connections. Nothing may be posted afterwards.
    package func shutdown() async {
        let clients = self.clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        for client in clients { try? await client.shutdown() }
    }
}
