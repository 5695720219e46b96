import Hummingbird
import Logging
import ServiceLifecycle

/// What the HTTP library alone makes of the same request: a router with one route that collects the body. The node does
/// not use that router; this is for orientation.
struct BareServer: Service {
    let logger: Logger

    func run() async throws {
        let router = Router()
        router.post("/bench/fixed") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: NodeCommand.fixedAnswer)))
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in NodePorts.print(.bare, channel.localAddress?.port ?? 0) },
            logger: self.logger)
        try await application.run()
    }
}
