import Hummingbird
import Logging
import StrictJSON
import Subscriptions

/// The simulator's own HTTP server, on loopback: what really is, and the App Store Server API.
struct SimulatorServer: Sendable {
    let port: Int
    let store: StoreIdentity
    let truths: TruthBoard
    let deliveries: DeliveryLog
    let time: SimulatedTime
    let api: StoreAPI
    let publisher: Publisher
    let logger: Logger

    /// What is known of the publisher's side.
    struct Publisher: Sendable {
        let customers: CustomerBoard
        let requests: BackendLog
        let writer: BackendCallWriter
    }

    private static let mostMoments = 100
    private static let limits = 1...1_000

    /// - Parameter onRunning: called with the port once requests are taken.
    func application(onRunning: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol {
        let router = Router()
        router.get("/truth") { request, _ in
            let query = request.uri.queryParameters
            return try self.page(after: query["after"].map(String.init), limit: query["limit"])
        }
        router.get("/truth/:id") { request, context in
            try self.truth(of: context.parameters.require("id"), at: request.uri.queryParameters[values: "at"])
        }
        self.addPublisherRoutes(to: router)
        self.api.addRoutes(to: router)
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: self.port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: self.logger)
    }

    private func page(after id: String?, limit text: Substring?) throws -> Response {
        let limit = try Self.limit(text)
        // Read first: what is sold from now on is not part of it.
        let now = self.truths.settled
        guard let (truths, isLast) = self.truths.truths(after: id, limit: limit) else {
            throw HTTPError(.badRequest, message: "after: nothing with this originalTransactionId was sold so far")
        }
        return Self.response(TruthPage(truths: truths, isLast: isLast, now: now, store: self.store).json)
    }

    /// One answer for one moment or none, which is now; a list of answers for several.
    private func truth(of id: String, at texts: [Substring]) throws -> Response {
        guard let truth = self.truths.truth(of: id) else {
            throw HTTPError(.notFound, message: "nothing with this originalTransactionId was sold so far")
        }
        let entries = self.deliveries.entries(about: id)
        let answers = try self.moments(texts).map { TruthAnswer(truth, at: $0, told: entries) }
        return Self.response(to: answers) { $0.write(to: &$1) }
    }

    // MARK: Parameters and answers

    static func limit(_ text: Substring?) throws -> Int {
        guard let limit = text.map({ Int($0) }) ?? 100, Self.limits.contains(limit) else {
            throw HTTPError(.badRequest, message: "limit: a number from 1 to 1000 is expected")
        }
        return limit
    }

    /// Now, where none is named.
    func moments(_ texts: [Substring]) throws -> [Moment] {
        guard texts.count <= Self.mostMoments else {
            throw HTTPError(.badRequest, message: "at: \(Self.mostMoments) moments at most")
        }
        let moments = try texts.map { text in
            guard let moment = Moment(rfc3339: text) else {
                throw HTTPError(.badRequest, message: "at: a date such as 2026-05-01T12:00:00Z is expected")
            }
            return moment
        }
        return moments.isEmpty ? [self.time.now] : moments
    }

    /// One answer as it is, several as a list.
    static func response<Answer>(to answers: [Answer], _ write: (Answer, inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        if answers.count == 1 {
            write(answers[0], &json)
        } else {
            json.object { json in
                json.member("answers") { json in
                    json.array { json in for answer in answers { write(answer, &json) } }
                }
            }
        }
        return Self.response(json.bytes)
    }

    static func response(_ json: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }
}
