import Foundation
import Perennial
import Testing

@Suite struct ReservedPortTests {
    @Test func aServerCanListenWhereOthersGetNothing() throws {
        // given
        let port = try ReservedPort()

        // then
        #expect(port.number > 0)
        #expect(!Self.canListen(on: port.number, sharesAddress: false))
        #expect(Self.canListen(on: port.number, sharesAddress: true))
    }

    private static func canListen(on port: Int, sharesAddress: Bool) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var shares: Int32 = sharesAddress ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &shares, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && listen(descriptor, 1) == 0
            }
        }
    }
}
