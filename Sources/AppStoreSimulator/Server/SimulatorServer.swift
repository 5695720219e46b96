import Foundation
import Hummingbird
import Logging
import Subscriptions

/// The simulator's own HTTP server, on loopback: what really is.
struct SimulatorServer: Sendable {
    let port: Int
    let truths: TruthBoard
    let time: SimulatedTime
    let logger: Logger

    /// - Parameter onRunning: called with the port once requests are taken.
    func application(onRunning: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol {
        let router = Router()
        router.get("/truth/:id") { request, context in
            try self.truth(
                of: context.parameters.require("id"), at: request.uri.queryParameters["at"].map(String.init))
        }
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: self.port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: self.logger)
    }

    private func truth(of id: String, at text: String?) throws -> Response {
        guard let truth = self.truths.truth(of: id) else {
            throw HTTPError(.notFound, message: "nothing with this originalTransactionId was sold so far")
        }
        var moment = self.time.now
        if let text {
            guard let parsed = Self.moment(text) else {
                throw HTTPError(.badRequest, message: "at: a date such as 2026-05-01T12:00:00Z is expected")
            }
            moment = parsed
        }
        let answer = TruthAnswer(truth: truth, moment: moment)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: answer.json)))
    }

    /// RFC 3339, with or without a fraction.
    private static func moment(_ text: String) -> Moment? {
        let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? exact.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) else { return nil }
        return Moment(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}
