import Foundation
import PerennialTestSupport
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

    /// Asks the same so many times over one connection, under the ids 1 and on, and reads what comes.
    /// - Parameter flag: until it is raised nothing is read, and after it only for as long as something comes; nil to read
    ///   as many answers as were asked for.
    func ask(
        _ content: StreamRequest.Content, times count: Int, readingAfter flag: Flag? = nil
    ) async throws -> [StreamAnswer] {
        let result: Result<[StreamAnswer], any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { try self.insist(content, count, flag) })
            }
        }
        return try result.get()
    }

    private func insist(_ content: StreamRequest.Content, _ count: Int, _ flag: Flag?) throws -> [StreamAnswer] {
        let socket = try Socket(.dealer, in: Context())
        try socket.set(.linger, to: 0)
        try socket.set(.sendHighWaterMark, to: 0)
        try socket.useCurve(self.keys, server: self.serverKey)
        try socket.connect(self.endpoint)
        for number in 1...count { _ = try socket.send(StreamRequest(id: UInt64(number), content).encoded()) }
        while let flag, !flag.isRaised { Thread.sleep(forTimeInterval: 0.01) }
        var answers: [StreamAnswer] = []
        var part = MessagePart()
        var poller = Poller()
        var rounds = 0
        while answers.count < count, flag == nil || rounds < 10 {
            poller.removeAll()
            _ = poller.add(socket)
            try poller.wait(until: .now + .milliseconds(20))
            rounds += 1
            while try socket.receive(&part) {
                answers.append(try StreamAnswer(decoding: part.bytes))
                rounds = 0
            }
        }
        return answers
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
