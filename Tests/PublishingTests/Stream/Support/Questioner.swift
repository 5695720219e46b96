import Foundation
import Synchronization
import WireProtocol
import ZeroMQ

/// Somebody who asks the service, each time over a connection of its own.
struct Questioner: Sendable {
    let endpoint: String
    let serverKey: [UInt8]
    let keys: CurveKeyPair

    /// - Returns: nil when no answer had come by the time that `isOver` was.
    func ask(
        _ content: StreamRequest.Content, until isOver: @escaping @Sendable () -> Bool = { false }
    ) async throws -> StreamAnswer? {
        let result: Result<StreamAnswer?, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try self.talk(content, isOver) })
            }
        }
        return try result.get()
    }

    private func talk(_ content: StreamRequest.Content, _ isOver: () -> Bool) throws -> StreamAnswer? {
        let socket = try Socket(.dealer, in: Context())
        try socket.set(.linger, to: 0)
        try socket.useCurve(self.keys, server: self.serverKey)
        try socket.connect(self.endpoint)
        _ = try socket.send(StreamRequest(id: 77, content).encoded())
        var part = MessagePart()
        var poller = Poller()
        while !isOver() {
            poller.removeAll()
            _ = poller.add(socket)
            try poller.wait(until: .now + .milliseconds(20))
            if try socket.receive(&part) { return try StreamAnswer(decoding: part.bytes) }
        }
        return nil
    }
}
