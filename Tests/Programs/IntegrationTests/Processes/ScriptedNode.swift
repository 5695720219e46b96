import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A node that answers as a test says, and notes what it was asked.
final class ScriptedNode: Sendable {
    struct Answer: Sendable {
        var status = 200
        var body: String
    }

    let url: String
    private let script: Script
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// - Parameter answers: by method and path, one after the other; the last one again and again.
    init(_ answers: [String: [Answer]]) async throws {
        let script = Script(answers)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: script, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(services: [application], logger: logger)
        let running = Task { try await group.run() }
        guard let number = await ports.first(where: { _ in true }) else { throw ProcessFailure("no scripted node") }
        self.script = script
        self.group = group
        self.running = running
        self.url = "http://127.0.0.1:\(number)"
    }

    /// What came with the requests of one method and path.
    func bodies(of name: String) -> [String] { self.script.log.withLock { $0[name] ?? [] } }

    func stop() async {
        await self.group.triggerGracefulShutdown()
        _ = await self.running.result
    }

    private final class Script: HTTPResponder {
        let log = Mutex<[String: [String]]>([:])
        private let answers: [String: [Answer]]

        init(_ answers: [String: [Answer]]) { self.answers = answers }

        func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
            let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
            let name = "\(request.method.rawValue) \(request.uri.path)"
            let count = self.log.withLock { log in
                log[name, default: []].append(body)
                return log[name, default: []].count
            }
            let answers = self.answers[name] ?? []
            let answer = answers.isEmpty ? Answer(status: 404, body: "{}") : answers[min(count, answers.count) - 1]
            return Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
        }
    }
}
