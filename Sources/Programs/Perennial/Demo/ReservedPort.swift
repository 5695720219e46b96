import Foundation
import Synchronization

/// A free TCP port of the loopback address, kept from others who take any free one. It is bound and not listened on, so
/// a listener with SO_REUSEADDR, which servers set, can take it over; whoever else wants exactly this port cannot be
/// kept from it.
package final class ReservedPort: Sendable {
    package let number: Int
    private let descriptor: Mutex<Int32?>

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = Mutex(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        let reason = errno
        self.number = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw CommandFailure("no free port: \(String(cString: strerror(reason)))") }
    }

    deinit { self.release() }

    /// Once somebody listens there.
    package func release() {
        self.descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }
}
