import Foundation

/// Another program that listens on a port of loopback, takes no connection, and can tell whether there was one.
final class LoopbackListener: Sendable {
    let port: Int
    private let descriptor: Int32

    /// - Parameter port: 0 for a free one; there is no listener where somebody listens already.
    init(port: Int = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw ProcessFailure("no listener: \(String(cString: strerror(errno)))") }
    }

    deinit { close(self.descriptor) }

    /// Whether somebody has connected: the kernel completes connections that nobody accepts.
    var hasConnection: Bool {
        var poll = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, 0) > 0
    }
}
