import Foundation
import Hummingbird
import PerennialTestSupport
import Synchronization
import Webhooks

/// The far end of webhooks, over HTTP on loopback: notes what comes, and answers as a test says.
final class WebhookReceiver: Sendable {
    struct Message: Sendable {
        /// `NAME` of the address `/hooks/NAME`.
        var hook: String
        var id: String
        var timestamp: String
        var signatures: [String]
        var body: String
    }

    /// An event as every node and every receiver knows it.
    struct Event: Hashable, Sendable {
        var kind: String
        var id: String
        var version: Int
    }

    private struct State {
        var taken: [Message] = []
        var status = 204
    }

    private let state = Mutex(State())

    /// What was answered with a success.
    var taken: [Message] { self.state.withLock(\.taken) }

    /// Of all answers from now on.
    var status: Int {
        get { self.state.withLock(\.status) }
        set { self.state.withLock { $0.status = newValue } }
    }

    /// The events that one hook has taken.
    func events(at hook: String) -> Set<Event> {
        Set(self.taken.filter { $0.hook == hook }.compactMap(\.event))
    }

    /// Runs while `body` runs; that gets its address.
    func run(_ body: (String) async throws -> Void) async throws {
        let router = Router()
        router.post("hooks/{hook}") { request, context in
            let signatures = request.headers[.init("webhook-signature")!] ?? ""
            let message = Message(
                hook: context.parameters.get("hook") ?? "", id: request.headers[.init("webhook-id")!] ?? "",
                timestamp: request.headers[.init("webhook-timestamp")!] ?? "",
                signatures: signatures.split(separator: " ").map(String.init),
                body: String(buffer: try await request.body.collect(upTo: 1 << 20)))
            return HTTPResponse.Status(code: self.answer(message))
        }
        try await router.serve(body)
    }

    private func answer(_ message: Message) -> Int {
        self.state.withLock { state in
            if (200...299).contains(state.status) { state.taken.append(message) }
            return state.status
        }
    }
}

extension WebhookReceiver.Message {
    private struct Body: Decodable {
        struct Data: Decodable { var event: Event? }
        struct Event: Decodable {
            var version: Int
            var stream: Stream
        }
        struct Stream: Decodable {
            var kind: String
            var id: String
        }

        var type: String
        var data: Data
    }

    private var content: Body? { try? JSONDecoder().decode(Body.self, from: Data(self.body.utf8)) }

    var type: String? { self.content?.type }

    /// nil for a message that is about none.
    var event: WebhookReceiver.Event? {
        self.content?.data.event.map { event in
            WebhookReceiver.Event(kind: event.stream.kind, id: event.stream.id, version: event.version)
        }
    }

    /// Whether it is signed with these keys, in their order, and no others.
    func isSigned(with keys: [String]) -> Bool {
        let content = Array("\(self.id).\(self.timestamp).\(self.body)".utf8)
        return self.signatures == keys.map { WebhookKey(text: $0)?.signature(of: content) ?? "no key" }
    }
}
