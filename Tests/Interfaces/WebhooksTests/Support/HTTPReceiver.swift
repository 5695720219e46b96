import HTTPTypes
import Hummingbird
import PerennialTestSupport
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

    private let isLetGo = Atomic(false)

    private let held = Atomic(0)

    /// How many requests have come that are answered when they are let go.
    var heldCount: Int { self.held.load(ordering: .relaxed) }

    /// Ends answers that do not end by themselves.
    func letGo() { self.isLetGo.store(true, ordering: .relaxed) }

    /// Runs while `body` runs; that gets its address.
    func run(_ body: (String) async throws -> Void) async throws {
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
        router.post("held") { _, _ in
            self.held.wrappingAdd(1, ordering: .relaxed)
            while !self.isLetGo.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(10)) }
            return HTTPResponse.Status.noContent
        }
        // A status, one byte, and then nothing, or a byte now and then.
        router.post("endless/{kind}") { _, context in
            let drips = context.parameters.get("kind") == "dripping"
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(bytes: [1]))
                    while !self.isLetGo.load(ordering: .relaxed) {
                        try await Task.sleep(for: .milliseconds(10))
                        if drips { try await writer.write(ByteBuffer(bytes: [1])) }
                    }
                    try await writer.finish(nil)
                })
        }
        try await router.serve(body)
    }
}
