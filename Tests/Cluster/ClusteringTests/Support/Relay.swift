import Foundation
import Synchronization

/// Stands before a node, on a port of this machine, and passes on what is said until it is told otherwise.
final class Relay: Sendable {
    let endpoint: String
    private let way: Way

    /// - Parameter endpoint: where the node listens, at a port of this machine.
    init(to endpoint: String) throws {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(loopbackPort: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        self.endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        self.way = Way(listener: listener, port: port)
        let way = self.way
        Thread.detachNewThread { way.open() }
    }

    deinit { self.way.close() }

    /// Ends all connections; new ones are taken.
    func reset() { self.way.reset() }

    /// Takes connections and what is said on them, and passes nothing on.
    func fallSilent() { self.way.fallSilent() }

    /// Passes everything on again, on new connections: of what was said on the others something is missing.
    func speak() { self.way.speak() }
}

/// What the threads of a relay share; they outlive it for a moment.
private final class Way: Sendable {
    private struct State {
        var isSilent = false
        /// Both ends of each connection.
        var ends: Set<Int32> = []
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let port: UInt16

    init(listener: Int32, port: UInt16) {
        self.listener = listener
        self.port = port
    }

    func reset() { self.state.withLock { Self.endAll($0) } }

    func fallSilent() { self.state.withLock { $0.isSilent = true } }

    func speak() {
        self.state.withLock { state in
            state.isSilent = false
            Self.endAll(state)
        }
    }

    func close() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        self.reset()
    }

    private static func endAll(_ state: State) { for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) } }

    // MARK: On threads of its own

    func open() {
        while true {
            let client = accept(self.listener, nil, nil)
            guard client >= 0 else { break }
            Thread.detachNewThread { self.serve(client) }
        }
        Glibc.close(self.listener)
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.state.withLock { $0.ends.formUnion([client, server]) }
        if self.connects(server) {
            let answers = DispatchGroup()
            answers.enter()
            Thread.detachNewThread {
                self.pump(from: server, to: client)
                answers.leave()
            }
            self.pump(from: client, to: server)
            answers.wait()
        }
        self.state.withLock { state in
            // Not before: the numbers may be of other connections then.
            state.ends.subtract([client, server])
            Glibc.close(client)
            Glibc.close(server)
        }
    }

    private func connects(_ server: Int32) -> Bool {
        var address = sockaddr_in(loopbackPort: self.port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private func pump(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            if !self.state.withLock(\.isSilent), !self.pass(buffer[..<count], to: target) { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private func pass(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }
}

extension sockaddr_in {
    fileprivate init(loopbackPort port: UInt16) {
        self.init()
        self.sin_family = sa_family_t(AF_INET)
        self.sin_port = port.bigEndian
        self.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    }
}
