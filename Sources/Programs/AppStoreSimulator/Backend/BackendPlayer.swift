import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Makes the requests of the publisher's backend to nodes, one after the other, and each until it is answered.
struct BackendPlayer: Sendable {
    /// One, or several that will do alike: the one that has answered last is asked until it fails.
    let urls: [String]
    /// nil where the node asks for none.
    let token: String?
    let log: BackendLog
    let writer: BackendCallWriter
    let client: HTTPClient
    let patience: TimeAmount
    let logger: Logger

    private static let pause = Duration.milliseconds(2)
    private static let pauseOfFailure = Duration.milliseconds(50)
    /// A node that is killed is back by then, or others have what was its: until then nothing happens that comes after a request.
    private static let longestOutage = Duration.seconds(30)
    private static let longestAnswer = 1 << 20

    /// Until a graceful shutdown; the request under way is awaited.
    func run() async throws {
        var denial: UInt?
        var failures = 0
        var lastAnswer = ContinuousClock.now
        while !Task.isShuttingDownGracefully {
            guard let request = self.log.nextWaiting else {
                lastAnswer = .now
                try await Task.sleep(for: Self.pause)
                continue
            }
            let (state, status) = try await self.make(request, at: self.urls[failures % self.urls.count])
            if state != nil { lastAnswer = .now }
            let isDenied = status == 401 || status == 403
            self.log.set(isReachable: !isDenied && lastAnswer.duration(to: .now) < Self.longestOutage)
            if let status, status != denial, isDenied {
                self.logger.warning(
                    "the node does not let the publisher's backend in: --backend-token-file names a token of the scope write",
                    metadata: ["status": "\(status)"])
            }
            denial = status
            guard let state else {
                failures += 1
                try await Task.sleep(for: Self.pauseOfFailure)
                continue
            }
            self.log.settle(state)
            self.warn(request, state)
        }
    }

    /// - Returns: what came of it, nil where it has to be made again; and the status, nil where there was no answer.
    private func make(_ request: BackendRequest, at url: String) async throws -> (BackendLog.State?, UInt?) {
        let call = try self.writer.call(request)
        var message = HTTPClientRequest(url: url + call.path)
        message.method = HTTPMethod(rawValue: call.method)
        message.headers.add(name: "content-type", value: "application/json")
        if let token { message.headers.add(name: "authorization", value: "Bearer \(token)") }
        message.body = .bytes(ByteBuffer(bytes: call.body))
        guard let response = try? await self.client.execute(message, timeout: self.patience),
            let body = try? await response.body.collect(upTo: Self.longestAnswer)
        else { return (nil, nil) }
        let status = response.status.code
        switch status {
        case 200...299: return (.done, status)
        // What is missing here is a token, or time.
        case 401, 403, 408, 429, 500...: return (nil, status)
        default:
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(body.readableBytesView))
            guard problem?.retryable != true else { return (nil, status) }
            return (.refused(status: Int(status), code: problem?.code), status)
        }
    }

    private struct Problem: Decodable {
        let code: String?
        let retryable: Bool?
    }

    private func warn(_ request: BackendRequest, _ state: BackendLog.State) {
        guard case .refused(let status, let code) = state, !request.isToBeRefused else { return }
        self.logger.warning(
            "the node refuses a request of the publisher's backend",
            metadata: ["number": "\(request.number)", "status": "\(status)", "code": "\(code ?? "")"])
    }
}
