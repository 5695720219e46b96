import Hummingbird
import Logging
import ServiceLifecycle
import Webhooks

/// A backend that webhooks are posted to: it takes what is signed as it should be.
struct DemoReceiver: Service {
    /// By which it finds its endpoint again when a demo goes on.
    private static let description = "demo"
    private static let bodyBytes = 1 << 20

    let webhooks: WebhookRegistry
    let figures: DemoFigures

    func run() async throws {
        let key = Announcement<WebhookKey>()
        let router = Router()
        router.post("/") { request, _ in
            let body = try await request.body.collect(upTo: Self.bodyBytes)
            guard let key = key.made, Self.isAuthentic(request.headers, Array(body.readableBytesView), by: key) else {
                return HTTPResponse.Status.unauthorized
            }
            self.figures.countPosted()
            return .noContent
        }
        let port = Announcement<Int>()
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.make($0.localAddress?.port ?? 0) },
            logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            group.addTask {
                guard let port = await port.value() else { return }
                if let made = try await self.register("http://127.0.0.1:\(port)/").keys.first?.key { key.make(made) }
            }
            try await group.waitForAll()
        }
    }

    private func register(_ url: String) async throws -> WebhookEndpoint {
        let wish = WebhookEndpoint.Wish(url: url, description: Self.description)
        if let known = try await self.webhooks.endpoints().first(where: { $0.wish.description == Self.description }) {
            return try await self.webhooks.update(known.id, wish)
        }
        return try await self.webhooks.create(wish, signedBy: .hmac, from: .beginning)
    }

    private static func isAuthentic(_ fields: HTTPFields, _ body: [UInt8], by key: WebhookKey) -> Bool {
        guard let id = fields[.init("webhook-id")!], let seconds = fields[.init("webhook-timestamp")!] else {
            return false
        }
        let signatures = fields[.init("webhook-signature")!]?.split(separator: " ").map(String.init) ?? []
        return signatures.contains(key.signature(of: Array("\(id).\(seconds).".utf8) + body) ?? "")
    }
}
