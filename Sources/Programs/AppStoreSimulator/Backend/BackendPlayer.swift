import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Makes the requests of the publisher's backend to a node, one after the other, and each until it is answered.
struct BackendPlayer: Sendable {
    let url: String
    /// nil where the node asks for none.
    let token: String?
    let log: BackendLog
    let writer: BackendCallWriter
    let client: HTTPClient
    let patience: TimeAmount
    let logger: Logger

    private static let pause = Duration.milliseconds(2)
    private static let pauseOfFailure = Duration.milliseconds(50)
    private static let longestAnswer = 1 << 20

    /// Until a graceful shutdown; the request under way is awaited.
    func run() async throws {
        while !Task.isShuttingDownGracefully {
            guard let request = self.log.nextWaiting else {
                try await Task.sleep(for: Self.pause)
                continue
            }
            let state = try await self.make(request)
            self.log.set(isReachable: state != nil)
            guard let state else {
                try await Task.sleep(for: Self.pauseOfFailure)
                continue
            }
            self.log.settle(state)
            self.warn(request, state)
        }
    }

    /// - Returns: nil where it has to be made again.
    private func make(_ request: BackendRequest) async throws -> BackendLog.State? {
        let call = try self.writer.call(request)
        var message = HTTPClientRequest(url: self.url + call.path)
        message.method = HTTPMethod(rawValue: call.method)
        message.headers.add(name: "content-type", value: "application/json")
        if let token { message.headers.add(name: "authorization", value: "Bearer \(token)") }
        message.body = .bytes(ByteBuffer(bytes: call.body))
        guard let response = try? await self.client.execute(message, timeout: self.patience),
            let body = try? await response.body.collect(upTo: Self.longestAnswer)
        else { return nil }
        switch response.status.code {
        case 200...299: return .done
        // What is missing here is an address, a token, or time.
        case 401, 403, 408, 429, 500...: return nil
        case let status: return .refused(status: Int(status), code: Self.code(of: body))
        }
    }

    private static func code(of body: ByteBuffer) -> String? {
        struct Problem: Decodable { let code: String? }
        return try? JSONDecoder().decode(Problem.self, from: Data(body.readableBytesView)).code
    }

    private func warn(_ request: BackendRequest, _ state: BackendLog.State) {
        guard case .refused(let status, let code) = state, !request.isToBeRefused else { return }
        self.logger.warning(
            "the node refuses a request of the publisher's backend",
            metadata: ["number": "\(request.number)", "status": "\(status)", "code": "\(code ?? "")"])
    }
}
