import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import ServiceLifecycle
import SubscriptionService

/// One address that is served, with the routes that belong there.
struct HTTPListener: Service {
    private let application: Application<APIResponder>
    private let setting: String
    private let address: String

    /// - Parameter setting: the key of the configuration that it was described under, for messages.
    /// - Throws: for TLS files that cannot be used.
    init(
        _ configuration: Configuration.Listener, setting: String, isPublicListener: Bool, api: API, routes: [Route],
        limits: Configuration.Limits, browserGuard: BrowserGuard, logger: Logger,
        onListening: @escaping @Sendable (APIServer.Endpoint) async -> Void
    ) throws(ConfigurationError) {
        var limits = limits
        // Nobody outside has a cursor.
        if !isPublicListener { limits.headerBytes += SubscriptionService.longestCursor }
        // Each listener counts for itself: a flood from outside takes nothing from the backends.
        let admission = Admission(limits: limits)
        self.setting = setting
        self.address = "\(configuration.host):\(configuration.port)"
        self.application = Application(
            responder: APIResponder(
                routes: RouteTable(routes), api: api, admission: admission, browserGuard: browserGuard),
            server: try Self.server(configuration.tls, setting: setting, admission: admission),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port),
                // Beyond the surplus that still gets an answer, connections wait in the kernel's queue, or are refused.
                availableConnectionsDelegate: .maximum(limits.connections + 256, logger: logger)),
            onServerRunning: { channel in
                await onListening(
                    APIServer.Endpoint(
                        isPublicListener: isPublicListener, host: configuration.host,
                        port: channel.localAddress?.port ?? configuration.port, isTLS: configuration.tls != nil))
            },
            logger: logger)
    }

    func run() async throws {
        do {
            try await self.application.run()
        } catch {
            throw ConfigurationError("\(self.setting): cannot listen on \(self.address): \(error)")
        }
    }

    private static func server(
        _ tls: TLSFiles?, setting: String, admission: Admission
    ) throws(ConfigurationError) -> HTTPServerBuilder {
        let limits = admission.limits
        let http = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(admission: admission)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: 100)))
        guard let tls else { return http }
        let configuration = try tls.load(setting: "\(setting).tls")
        do {
            return try .tls(http, tlsConfiguration: configuration)
        } catch {
            throw ConfigurationError("\(setting).tls: \(error)")
        }
    }
}
