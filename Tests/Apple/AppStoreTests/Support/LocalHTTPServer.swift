import Foundation
import Synchronization

/// One thread that answers HTTP/1.1 POSTs on a free port of the loopback, one connection after the other.
final class LocalHTTPServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameter respond: body in, status and body out; nil never answers.
    init(respond: @escaping @Sendable ([UInt8]) -> (status: Int, body: [UInt8])?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            var silent: [Int32] = []
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                guard let body = Self.readRequest(connection), let (status, answer) = respond(body) else {
                    silent.append(connection)
                    continue
                }
                let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(answer.count)\r\nConnection: close\r\n\r\n"
                let bytes = Array(head.utf8) + answer
                _ = write(connection, bytes, bytes.count)
                close(connection)
            }
            // Only here: a number that was closed elsewhere may already be another server's.
            (silent + [listener]).forEach { close($0) }
        }
    }

    func stop() { shutdown(self.listener, Int32(SHUT_RDWR)) }

    private static func readRequest(_ connection: Int32) -> [UInt8]? {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            request += buffer[..<count]
            let text = String(decoding: request, as: UTF8.self).lowercased()
            guard let end = request.firstRange(of: Array("\r\n\r\n".utf8)),
                let header = text.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }),
                let length = Int(header.dropFirst(15).trimmingCharacters(in: .whitespaces))
            else { continue }
            if request.count - end.upperBound >= length { return Array(request[end.upperBound...]) }
        }
    }
}
