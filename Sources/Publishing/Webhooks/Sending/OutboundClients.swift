package import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One HTTP client for each host, which connects to one of its addresses for as long as the host has that. Names of several
/// addresses give them in another order each time: going by the first would close connections that are in use.
package final class OutboundClients: Sendable {
    /// Longer than any request takes.
    private static let lastRequests = TimeAmount.seconds(30)

    package struct Line: Sendable {
        package let address: NetworkAddress
        package let client: HTTPClient
    }

    private struct State {
        var lines: [String: Line] = [:]
        /// By host: the address that could not be reached last.
        var unreachable: [String: NetworkAddress] = [:]
        /// Requests of these may be under way.
        var retired: [HTTPClient] = []
    }

    /// So many to one host.
    private let connections: Int
    private let state = Mutex(State())

    package init(connections: Int) { self.connections = connections }

    /// - Parameter addresses: all that the host has now.
    package func line(to host: String, at addresses: [NetworkAddress]) -> Line {
        self.state.withLock { state in
            if let line = state.lines[host], addresses.contains(line.address) { return line }
            self.retire(host, &state)
            let unreachable = state.unreachable[host]
            let address = addresses.first { $0 != unreachable } ?? addresses[0]
            let line = Line(address: address, client: self.makeClient(of: host, at: address))
            state.lines[host] = line
            return line
        }
    }

    /// Its address could not be reached: the next one leads to another where there is one.
    package func giveUp(_ line: Line, to host: String) {
        self.state.withLock { state in
            guard state.lines[host]?.client === line.client else { return }
            state.unreachable[host] = line.address
            self.retire(host, &state)
        }
    }

    /// What a request ended with: gives the line up when that says that its address cannot be reached.
    package func record(_ error: any Error, of line: Line, to host: String) {
        if Self.isOfConnecting(error) { self.giveUp(line, to: host) }
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

    private func retire(_ host: String, _ state: inout State) {
        guard let client = state.lines.removeValue(forKey: host)?.client else { return }
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

    /// Lets go of all connections. No client may be asked for afterwards.
    package func shutdown() async {
        let clients = self.state.withLock { state in
            defer { state = State() }
            return state.lines.values.map(\.client) + state.retired
        }
        for client in clients { try? await client.shutdown() }
    }
}
