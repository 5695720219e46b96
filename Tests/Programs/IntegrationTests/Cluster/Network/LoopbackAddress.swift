import Foundation

/// A port of one of the 16 million addresses of this machine's own.
struct LoopbackAddress: Sendable {
    private let host: UInt32
    let port: Int

    /// - Parameter port: 0 for a free one when it is listened on.
    init(port: Int) {
        self.host = 0x7F00_0001
        self.port = port
    }

    private init(host: UInt32, port: Int) {
        self.host = host
        self.port = port
    }

    /// One that nobody else asks for, so that it can be told to those who connect before somebody listens.
    static func unused() -> LoopbackAddress {
        LoopbackAddress(host: 0x7F00_0000 | .random(in: 0x0001_0001...0x00FF_FFFE), port: 7_000)
    }

    /// The port behind this one.
    var next: LoopbackAddress { LoopbackAddress(host: self.host, port: self.port + 1) }

    /// As a configuration names it.
    var text: String {
        let bytes = [24, 16, 8, 0].map { "\(self.host >> UInt32($0) & 0xFF)" }
        return "\(bytes.joined(separator: ".")):\(self.port)"
    }

    private func withSocketAddress<Result>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = self.host.bigEndian
        address.sin_port = UInt16(self.port).bigEndian
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The descriptor is the caller's to close.
    func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = self.withSocketAddress { address, length -> UInt16? in
            var length = length
            guard bind(descriptor, address, length) == 0, Glibc.listen(descriptor, 128) == 0,
                getsockname(descriptor, address, &length) == 0
            else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
        guard let port else { throw ProcessFailure("no listener: \(String(cString: strerror(errno)))") }
        return (descriptor, Int(port))
    }

    /// Blocks. The descriptor is the caller's to close; nil when nobody listens.
    func connect() -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard self.withSocketAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
