import Foundation
import Synchronization

/// Stands before a server, on a port of loopback, and can be cut like a cable: what is on its way is held back, neither
/// lost nor refused, and arrives late when it is healed. A single request can be held back, too. Works on threads of its
/// own.
final class PartitionProxy: Sendable {
    let port: Int
    private let relay: Relay

    /// - Parameters:
    ///   - target: where the server listens, or will.
    ///   - place: where the proxy listens.
    ///   - knowsProcesses: whose a connection is takes long to find out, and matters to `cut(from:)` alone.
    init(
        to target: LoopbackAddress, at place: LoopbackAddress = LoopbackAddress(port: 0), knowsProcesses: Bool = true
    ) throws {
        let listener = try place.listen()
        self.port = listener.port
        self.relay = Relay(listener: listener.descriptor, port: listener.port, target: target)
        let relay = self.relay
        Thread.detachNewThread { relay.accept(knowsProcesses) }
    }

    deinit { self.relay.close() }

    func cut() { self.relay.cuts.withLock { $0.isWhole = true } }

    /// Cuts what one process sends there, and what it is answered.
    func cut(from process: pid_t) { self.relay.cuts.withLock { _ = $0.processes.insert(process) } }

    func heal() { self.relay.cuts.withLock { $0 = Relay.Cuts() } }

    /// How many connections of a process have gone through it so far.
    func connections(from process: pid_t) -> Int { self.relay.connections(from: process) }

    /// For one request alone, however healed it is otherwise.
    var snare: StalledProxy { self.relay.snare }
}

/// What the threads of a proxy share; they outlive it for a moment.
private final class Relay: Sendable {
    struct Cuts {
        var isWhole = false
        var processes: Set<pid_t> = []
    }

    let cuts = Mutex(Cuts())
    let snare = StalledProxy()
    /// Whose each is, in the order in which they began.
    private let connections = Mutex<[Set<pid_t>]>([])
    private let isClosed = Mutex(false)
    private let listener: Int32
    private let port: Int
    private let target: LoopbackAddress

    init(listener: Int32, port: Int, target: LoopbackAddress) {
        self.listener = listener
        self.port = port
        self.target = target
    }

    func connections(from process: pid_t) -> Int {
        self.connections.withLock { $0.count { $0.contains(process) } }
    }

    func close() {
        self.isClosed.withLock { $0 = true }
        shutdown(self.listener, Int32(SHUT_RDWR))
    }

    func accept(_ knowsProcesses: Bool) {
        while true {
            // Whoever tries again and again meanwhile waits with the kernel, not each in a thread of his own.
            self.wait { self.cuts.withLock(\.isWhole) }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let client = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.accept(self.listener, $0, &length) }
            }
            guard client >= 0 else { break }
            let port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread {
                self.serve(client, of: knowsProcesses ? self.processes(connectedFrom: port, as: client) : [])
            }
        }
        Glibc.close(self.listener)
    }

    private func processes(connectedFrom port: UInt16, as client: Int32) -> Set<pid_t> {
        SocketOwner.processes(connectedFrom: port, to: self.port) {
            // Whoever only wants to know whether somebody listens has gone by now.
            var byte: UInt8 = 0
            return recv(client, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) != 0
        }
    }

    /// - Parameter processes: whose connection it is.
    private func serve(_ client: Int32, of processes: Set<pid_t>) {
        self.waitUntilHealed(for: processes)
        defer { Glibc.close(client) }
        guard let server = self.target.connect() else { return }
        defer { Glibc.close(server) }
        let number = self.connections.withLock { connections in
            connections.append(processes)
            return connections.count
        }
        let answers = DispatchGroup()
        answers.enter()
        Thread.detachNewThread {
            self.pump(.answer, from: server, to: client, of: processes, connection: number)
            answers.leave()
        }
        self.pump(.request, from: client, to: server, of: processes, connection: number)
        answers.wait()
        self.snare.end(number)
    }

    /// Passes everything on, the end too.
    private func pump(
        _ part: StalledProxy.Part, from source: Int32, to target: Int32, of processes: Set<pid_t>, connection: Int
    ) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count > 0 { self.snare.meet(part, buffer[..<count], of: connection) }
            self.waitUntilHealed(for: processes)
            self.wait { self.snare.holds(part, of: connection) }
            guard count > 0, !self.snare.hasDropped(connection), self.send(buffer[..<count], to: target) else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    private func waitUntilHealed(for processes: Set<pid_t>) { self.wait { self.isCut(for: processes) } }

    private func wait(while isHeld: () -> Bool) {
        while isHeld(), !self.isClosed.withLock(\.self) { Thread.sleep(forTimeInterval: 0.002) }
    }

    private func isCut(for processes: Set<pid_t>) -> Bool {
        self.cuts.withLock { cuts in cuts.isWhole || !cuts.processes.isDisjoint(with: processes) }
    }
}
