import Glibc

extension NetworkAddress {
    /// nil unless `text` is an address in its usual form; `127.1` is none.
    package init?(_ text: String) {
        var (short, long) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &short) == 1 {
            self.init(bytes: withUnsafeBytes(of: short, Array.init))
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            self.init(bytes: withUnsafeBytes(of: long, Array.init))
        } else {
            return nil
        }
    }

    /// As it is written in configurations and URLs, without brackets.
    package var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = self.bytes.count == 4 ? AF_INET : AF_INET6
        _ = self.bytes.withUnsafeBytes { inet_ntop(family, $0.baseAddress, &buffer, socklen_t(buffer.count)) }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// All addresses of a host, as the system resolves its name; none for a name that it does not know. Blocks, for as long
    /// as name servers take.
    static func resolve(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.compactMap { $0 }.compactMap(Self.init)
    }

    private init?(_ entry: UnsafeMutablePointer<addrinfo>) {
        guard let address = entry.pointee.ai_addr else { return nil }
        switch entry.pointee.ai_family {
        case AF_INET:
            self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                NetworkAddress(bytes: withUnsafeBytes(of: $0.pointee.sin_addr, Array.init))
            }
        case AF_INET6:
            self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                NetworkAddress(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init))
            }
        default: return nil
        }
    }
}
