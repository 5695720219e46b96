import Foundation

/// One attempt to connect, of which nothing is wanted but whether it is refused: libzmq does not say why a connection does
/// not come about.
package struct ConnectionProbe: Sendable {
    /// In milliseconds. A refusal takes a round trip.
    private static let patience: Int32 = 200

    private let host: String
    private let port: String

    /// nil for what is no TCP endpoint.
    package init?(_ endpoint: String) {
        let scheme = "tcp://"
        guard endpoint.hasPrefix(scheme) else { return nil }
        let address = endpoint.dropFirst(scheme.count)
        guard let colon = address.lastIndex(of: ":"), UInt16(address[address.index(after: colon)...]) != nil else {
            return nil
        }
        self.host = String(address[..<colon])
        self.port = String(address[address.index(after: colon)...])
    }

    /// Blocks, for as long as the name of the host is looked up.
    /// - Returns: false for whatever else becomes of it, also when there is no answer.
    package func isRefused() -> Bool {
        var wanted = addrinfo()
        // As libzmq looks it up.
        wanted.ai_family = AF_INET
        wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(self.host, self.port, &wanted, &found) == 0, let addresses = found else { return false }
        defer { freeaddrinfo(addresses) }
        return sequence(first: addresses, next: \.pointee.ai_next).allSatisfy { Self.isRefused(at: $0.pointee) }
    }

    private static func isRefused(at address: addrinfo) -> Bool {
        let descriptor = socket(
            address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 else { return false }
        guard errno == EINPROGRESS else { return errno == ECONNREFUSED }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, Self.patience) == 1 else { return false }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == ECONNREFUSED
    }
}
