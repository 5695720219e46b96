import Foundation
import NIOCore
import Synchronization

/// Posts to nodes as a balancer does that tries the next one when the first does not answer.
struct BalancedSender: Sendable {
    /// In seconds: a node that is silent for longer counts as gone.
    private static let patience = 2

    /// Their ports, as of now.
    let ports: @Sendable () -> [Int]

    /// Blocks until a node answers.
    /// - Parameter turn: which of the nodes is asked first.
    /// - Returns: the status.
    func post(_ request: [UInt8], turn: Int) -> Int {
        var turn = turn
        while true {
            let ports = self.ports()
            if let status = Self.post(request, to: ports[turn % ports.count]) { return status }
            turn += 1
        }
    }

    /// - Returns: nil where there is no answer.
    static func post(_ request: [UInt8], to port: Int) -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, Self.write(request, to: descriptor) else { return nil }
        // "HTTP/1.1 200" comes in one piece.
        var head = [UInt8](repeating: 0, count: 4_096)
        guard read(descriptor, &head, head.count) > 12 else { return nil }
        return Int(String(decoding: head[9..<12], as: UTF8.self))
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
