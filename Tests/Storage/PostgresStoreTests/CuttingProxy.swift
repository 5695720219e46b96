import Foundation
import Synchronization

/// Stands between a store and its server, on a free port of the loopback interface, and breaks the way on request.
final class CuttingProxy: Sendable {
    enum Fault: Sendable {
        /// What the client sends next does not arrive.
        case beforeTheServer
        /// So many bytes of what the client sends next arrive.
        case within(bytes: Int)
        /// What the client sends next arrives and is answered; the answer does not come back.
        case beforeTheAnswer
        /// The same, for the next run of a prepared statement.
        case beforeTheAnswerTo(statement: String)
        /// No answer comes back, and nothing is cut, until the fault is taken away.
        case silence
        /// New connections are closed at once, and old ones with what is sent next.
        case down
    }

    private let fault = Mutex<Fault?>(nil)
    /// The sockets of connections, on both sides.
    private let connected = Mutex<Set<Int32>>([])
    private let listener: Int32
    let port: UInt16
    private let serverPort: UInt16

    init(to serverPort: UInt16) throws {
        self.serverPort = serverPort
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { self.accept() }
    }

    /// One that nobody listens on.
    static func deadPort() throws -> UInt16 {
        let proxy = try CuttingProxy(to: 1)
        proxy.close()
        return proxy.port
    }

    /// The proxy takes no more connections.
    func close() { shutdown(self.listener, Int32(SHUT_RDWR)) }

    func set(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    /// Whether there is no connection: each has ended on both sides.
    var isIdle: Bool { self.connected.withLock(\.isEmpty) }

    /// Ends all connections there are, whatever is under way in them.
    func cut() {
        self.connected.withLock { sockets in
            for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(self.listener, nil, nil)
            guard client >= 0 else { break }
            if case .down? = self.fault.withLock({ $0 }) {
                Glibc.close(client)
                continue
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.loopback(port: self.serverPort)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                Glibc.close(client)
                Glibc.close(server)
                continue
            }
            self.connected.withLock { $0.formUnion([client, server]) }
            let both = DispatchGroup()
            for (source, target, isRequest) in [(client, server, true), (server, client, false)] {
                both.enter()
                Thread.detachNewThread {
                    self.pump(from: source, to: target, isRequest: isRequest)
                    both.leave()
                }
            }
            both.notify(queue: .global()) {
                self.connected.withLock { sockets in
                    sockets.subtract([client, server])
                    Glibc.close(client)
                    Glibc.close(server)
                }
            }
        }
        Glibc.close(self.listener)
    }

    private func pump(from source: Int32, to target: Int32, isRequest: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            let (passing, isCut) = self.judge(buffer[..<count], isRequest: isRequest)
            var sent = 0
            while sent < passing {
                let written = buffer.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { send(target, $0 + sent, passing - sent, Int32(MSG_NOSIGNAL)) } ?? -1
                }
                guard written > 0 else { break }
                sent += written
            }
            if isCut { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    /// How many of these bytes go on, and whether that is the end.
    private func judge(_ bytes: ArraySlice<UInt8>, isRequest: Bool) -> (passing: Int, isCut: Bool) {
        let count = bytes.count
        return self.fault.withLock { fault in
            switch fault {
            case .beforeTheServer? where isRequest:
                fault = nil
                return (0, true)
            case .within(let bytes)? where isRequest:
                fault = nil
                return (min(bytes, count), true)
            case .beforeTheAnswer? where !isRequest:
                fault = nil
                return (0, true)
            case .beforeTheAnswerTo(let statement)? where isRequest:
                // The message that binds values to it.
                if bytes.first == UInt8(ascii: "B"), bytes.contains(statement.utf8) { fault = .beforeTheAnswer }
                return (count, false)
            case .silence? where !isRequest: return (0, false)
            case .down?: return (0, true)
            case nil, .beforeTheServer?, .within?, .beforeTheAnswer?, .beforeTheAnswerTo?, .silence?:
                return (count, false)
            }
        }
    }
}
