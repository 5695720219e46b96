import HTTPTypes
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// The far end of webhooks, over HTTP on loopback.
final class HTTPReceiver: Sendable {
    struct Delivery: Encodable, Sendable {
        /// What its endpoint gave out.
        var secret: String
        var headers: [String: String]
        var body: String
    }

    private let deliveries = Mutex<[Delivery]>([])
    /// What the address `/status/N` was asked.
    private let answers = Mutex<[Int]>([])

    var received: [Delivery] { self.deliveries.withLock(\.self) }
    var statuses: [Int] { self.answers.withLock(\.self) }

    /// Runs while `body` runs; that gets its address.
    func run(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
        let router = Router()
        router.post("hooks/{secret}") { request, context in
            let text = try await request.body.collect(upTo: 1 << 20)
            let headers = Dictionary(
                request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
            let secret = context.parameters.get("secret") ?? ""
            self.deliveries.withLock {
                $0.append(Delivery(secret: secret, headers: headers, body: String(buffer: text)))
            }
            return HTTPResponse.Status.noContent
        }
        router.post("status/{code}") { _, context in
            let code = context.parameters.get("code", as: Int.self) ?? 500
            self.answers.withLock { $0.append(code) }
            var response = Response(status: .init(code: code))
            response.headers[.location] = "/status/200"
            response.headers[.init("retry-after")!] = "17"
            return response
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let result: Result<Void, any Error>
            do {
                var iterator = ports.makeAsyncIterator()
                result = .success(try await body("http://127.0.0.1:\(await iterator.next() ?? 0)"))
            } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            try result.get()
        }
    }
}
