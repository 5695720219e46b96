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
    let logger: Logger

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
        self.api.addRoutes(to: router)
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: self.port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: self.logger)
    }

    private func page(after id: String?, limit text: Substring?) throws -> Response {
        guard let limit = text.map({ Int($0) }) ?? 100, Self.limits.contains(limit) else {
            throw HTTPError(.badRequest, message: "limit: a number from 1 to 1000 is expected")
        }
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
        guard texts.count <= Self.mostMoments else {
            throw HTTPError(.badRequest, message: "at: \(Self.mostMoments) moments at most")
        }
        var moments = try texts.map { text in
            guard let moment = Moment(rfc3339: text) else {
                throw HTTPError(.badRequest, message: "at: a date such as 2026-05-01T12:00:00Z is expected")
            }
            return moment
        }
        if moments.isEmpty { moments = [self.time.now] }
        let entries = self.deliveries.entries(about: id)
        let answers = moments.map { TruthAnswer(truth, at: $0, told: entries) }
        var json = JSONWriter()
        if answers.count == 1 {
            answers[0].write(to: &json)
        } else {
            json.object { json in
                json.member("answers") { json in
                    json.array { json in for answer in answers { answer.write(to: &json) } }
                }
            }
        }
        return Self.response(json.bytes)
    }

    private static func response(_ json: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }
}
