import Foundation
import ZeroMQ

/// A node's socket that lets everybody in, and that nobody reads; until it goes out of scope.
final class StalledPeer: Sendable {
    let endpoint: String
    private let end: Flag

    init(keys: CurveKeyPair) async throws {
        let end = Flag()
        self.end = end
        let endpoint: Result<String, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let context = try Context()
                    var gate = try ZAPHandler(in: context, domain: "stalled")
                    let socket = try Socket(.router, in: context)
                    try socket.set(.linger, to: 0)
                    try socket.set(.receiveHighWaterMark, to: 1)
                    try socket.serveCurve(keys, domain: "stalled")
                    continuation.resume(returning: .success(try socket.bind("tcp://127.0.0.1:*")))
                    var poller = Poller()
                    while !end.isRaised {
                        poller.removeAll()
                        _ = gate.add(to: &poller)
                        try? poller.wait(until: .now + .milliseconds(50))
                        try? gate.answer { _ in "anybody" }
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        self.endpoint = try endpoint.get()
    }

    deinit { self.end.raise() }
}
