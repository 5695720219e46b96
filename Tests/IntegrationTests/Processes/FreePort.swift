import Glibc

/// A TCP port of 127.0.0.1 that was free a moment ago.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
            guard bind(descriptor, generic, length) == 0 else { return -1 }
            return getsockname(descriptor, generic, &length)
        }
    }
    guard result == 0 else { throw ProcessFailure("no free port: errno \(errno)") }
    return Int(UInt16(bigEndian: address.sin_port))
}
