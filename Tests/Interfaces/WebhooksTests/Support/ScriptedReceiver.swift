import Foundation
import Synchronization
import Webhooks

/// The far end of webhooks, without a network: takes, refuses, or never answers, as a test says.
final class ScriptedReceiver: WebhookTransport {
    struct Message: Sendable {
        var url: String
        var id: String
        var seconds: Int64
        var signatures: [String]
        var json: JSON

        var type: String { self.json.type }
        var subscription: String { self.json.data?.event.stream.id ?? "" }
        var version: Int { self.json.data?.event.version ?? 0 }
    }

    /// As much of a body as tests look at.
    struct JSON: Decodable, Sendable {
        struct Data: Decodable, Sendable {
            var event: Event
            var previous: Answer?
            var current: Answer?
        }
        struct Event: Decodable, Sendable {
            var version: Int
            var changes: [String]
            var stream: Stream
        }
        struct Stream: Decodable, Sendable { var id: String }
        struct Answer: Decodable, Sendable {
            var entitled: Bool
            var state: String?
        }

        var type: String
        var timestamp: String
        var data: Data?
    }

    /// nil for an answer that never comes.
    typealias Behaviour = @Sendable (Message) -> Int?
    typealias Choice = @Sendable (Message) -> Bool

    private struct State {
        var attempts: [Message] = []
        var taken: [Message] = []
        var bodies: [String] = []
        var behaviour: Behaviour = { _ in 200 }
        var isHeld: Choice = { _ in false }
    }

    private let state = Mutex(State())

    var attempts: [Message] { self.state.withLock(\.attempts) }
    /// Whatever came, a message or not.
    var bodies: [String] { self.state.withLock(\.bodies) }
    var taken: [Message] { self.state.withLock(\.taken) }
    var behaviour: Behaviour {
        get { self.state.withLock(\.behaviour) }
        set { self.state.withLock { $0.behaviour = newValue } }
    }
    /// What gets its answer when it is held no longer.
    var isHeld: Choice {
        get { self.state.withLock(\.isHeld) }
        set { self.state.withLock { $0.isHeld = newValue } }
    }

    func post(
        _ body: [UInt8], _ fields: [(name: String, value: String)], to target: WebhookTarget, of endpoint: String
    ) async throws(DeliveryFailure) -> WebhookAnswer {
        let fields = Dictionary(uniqueKeysWithValues: fields)
        self.state.withLock { $0.bodies.append(String(decoding: body, as: UTF8.self)) }
        if body.starts(with: Array(#"{"signedPayload""#.utf8)) { return WebhookAnswer(status: 200) }
        guard let json = try? JSONDecoder().decode(JSON.self, from: Data(body)) else {
            throw DeliveryFailure("the body is no message", isAbsence: false)
        }
        let message = Message(
            url: target.url, id: fields["webhook-id"] ?? "", seconds: Int64(fields["webhook-timestamp"] ?? "") ?? 0,
            signatures: (fields["webhook-signature"] ?? "").split(separator: " ").map(String.init), json: json)
        self.state.withLock { $0.attempts.append(message) }
        while self.isHeld(message), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(10)) }
        let status = self.state.withLock { state in
            let status = state.behaviour(message)
            if status.map({ (200...299).contains($0) }) ?? false { state.taken.append(message) }
            return status
        }
        guard let status else {
            try? await Task.sleep(for: .seconds(86_400))
            throw DeliveryFailure("no answer", isAbsence: true)
        }
        return WebhookAnswer(status: status)
    }

    /// For each subscription, the versions that were taken, in their order.
    func versions(at url: String? = nil) -> [String: [Int]] {
        self.taken.filter { url == nil || $0.url == url }.reduce(into: [:]) {
            $0[$1.subscription, default: []].append($1.version)
        }
    }
}
