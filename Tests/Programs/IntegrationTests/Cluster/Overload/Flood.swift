import Foundation
import Synchronization

/// Notifications, posted to a node again and again, as fast as it answers, from threads of their own.
final class Flood: Sendable {
    private struct State {
        var statuses: [Int: Int] = [:]
        var isOver = false
        var working = 0
    }

    private let requests: [[UInt8]]
    private let address: LoopbackAddress
    private let state = Mutex(State())

    /// - Parameter port: of the node's API.
    init(_ payloads: [[UInt8]], to port: Int) {
        self.requests = payloads.map(Self.request)
        self.address = LoopbackAddress(port: port)
    }

    private static func request(_ payload: [UInt8]) -> [UInt8] {
        let body = Array(#"{"signedPayload":""#.utf8) + payload + Array(#""}"#.utf8)
        let head = """
            POST /v1/apple/notifications HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return Array(head.utf8) + body
    }

    /// How often the node has answered so, by status.
    var statuses: [Int: Int] { self.state.withLock(\.statuses) }

    private static let pause = 0.02

    /// Posts over so many connections until `end()`.
    func begin(connections: Int) {
        self.state.withLock { $0.working = connections }
        for first in 0..<connections {
            Thread.detachNewThread { [self] in
                var next = first
                while !self.state.withLock(\.isOver) {
                    self.post(from: &next)
                    // A node that has ended refuses at once, and would be asked all the time.
                    Thread.sleep(forTimeInterval: Self.pause)
                }
                self.state.withLock { $0.working -= 1 }
            }
        }
    }

    /// Posts nothing more.
    func end() { self.state.withLock { $0.isOver = true } }

    /// Returns when the last answer has come.
    func untilEnded() async throws {
        while self.state.withLock(\.working) > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Over one connection, until that or the flood ends.
    private func post(from next: inout Int) {
        guard let descriptor = self.address.connect() else { return }
        defer { close(descriptor) }
        while !self.state.withLock(\.isOver) {
            guard Self.send(self.requests[next % self.requests.count], to: descriptor),
                let status = Self.status(from: descriptor)
            else { return }
            self.state.withLock { $0.statuses[status, default: 0] += 1 }
            next += 1
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Reads one answer to its end; nil when there is none.
    private static func status(from descriptor: Int32) -> Int? {
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return nil }
            answer += piece[..<count]
            guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
            let length = head.firstMatch(of: /(?i)content-length: ([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
            if answer.count >= end.upperBound + length { return Int(head.split(separator: " ")[1]) }
        }
    }
}
