package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One HTTP client for each endpoint, with connections of its own: whoever answers slowly at a host and port keeps no other
/// endpoint there waiting. It connects to one of its host's addresses for as long as the host has that. Names of several
/// addresses give them in another order each time: going by the first would close connections that are in use.
package final class OutboundClients: Sendable {
    /// Longer than any request takes.
    private static let lastRequests = TimeAmount.seconds(30)
    /// An endpoint that has sent nothing for so long may be gone: its client is let go of when another is made.
    private static let longestIdleness = Duration.seconds(600)

    package struct Line: Sendable {
        package let endpoint: String
        package let host: String
        package let address: NetworkAddress
        package let client: HTTPClient
    }

    private struct State {
        /// By endpoint.
        var lines: [String: Line] = [:]
        /// By endpoint.
        var lastUses: [String: ContinuousClock.Instant] = [:]
        /// By endpoint: the address that could not be reached last.
        var unreachable: [String: NetworkAddress] = [:]
        /// Requests of these may be under way.
        var retired: [HTTPClient] = []
    }

    /// So many of one endpoint.
    private let connections: Int
    private let state = Mutex(State())

    package init(connections: Int) { self.connections = connections }

    /// How many endpoints have one.
    package var count: Int { self.state.withLock(\.lines.count) }

    /// - Parameter addresses: all that the host has now.
    package func line(
        of endpoint: String, to host: String, at addresses: [NetworkAddress],
        now: ContinuousClock.Instant = .now
    ) -> Line {
        self.state.withLock { state in
            state.lastUses[endpoint] = now
            if let line = state.lines[endpoint], line.host == host, addresses.contains(line.address) { return line }
            self.retire(endpoint, &state)
            for (other, last) in state.lastUses where now - last > Self.longestIdleness {
                self.retire(other, &state)
                state.lastUses[other] = nil
                state.unreachable[other] = nil
            }
            let unreachable = state.unreachable[endpoint]
            let address = addresses.first { $0 != unreachable } ?? addresses[0]
            let line = Line(
                endpoint: endpoint, host: host, address: address, client: self.makeClient(of: host, at: address))
            state.lines[endpoint] = line
            return line
        }
    }

    /// Its address could not be reached: the next one leads to another where there is one.
    package func giveUp(_ line: Line) {
        self.state.withLock { state in
            guard state.lines[line.endpoint]?.client === line.client else { return }
            state.unreachable[line.endpoint] = line.address
            self.retire(line.endpoint, &state)
        }
    }

    /// What a request ended with: gives the line up when that says that its address cannot be reached.
    package func record(_ error: any Error, of line: Line) {
        if Self.isOfConnecting(error) { self.giveUp(line) }
    }

    private static func isOfConnecting(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
        // Whoever is stopped has not been refused, and these are of a connection that is there.
        case is CancellationError, is ChannelError, is HTTPParserError: false
        // Connecting and TLS have errors of their own.
        default: true
        }
    }

    private func retire(_ endpoint: String, _ state: inout State) {
        guard let client = state.lines.removeValue(forKey: endpoint)?.client else { return }
        state.retired.append(client)
        client.eventLoopGroup.any().scheduleTask(in: Self.lastRequests) {
            self.state.withLock { $0.retired.removeAll { $0 === client } }
            client.shutdown { _ in }
        }
    }

    private func makeClient(of host: String, at address: NetworkAddress) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = self.connections
        configuration.dnsOverride = [host: address.text]
        configuration.decompression = .disabled
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// A client has to be shut down, also when whoever held these was cut off before `shutdown`.
    deinit {
        let clients = self.state.withLock { $0.lines.values.map(\.client) + $0.retired }
        for client in clients { client.shutdown { _ in } }
    }

    /// Lets go of all connections. No client may be asked for afterwards.
    package func shutdown() async {
        let clients = self.state.withLock { state in
            defer { state = State() }
            return state.lines.values.map(\.client) + state.retired
        }
        for client in clients { try? await client.shutdown() }
    }
}
