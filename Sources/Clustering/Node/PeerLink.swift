import ZeroMQ

/// The socket of one association. Used on the reactor's thread only.
final class PeerLink {
    let association: Association
    private let context: Context
    private let configuration: ClusterConfiguration
    private let name: String
    private var connection: Connection?
    /// Which of the peer's keys is tried.
    private var keyIndex = 0
    /// Taken from the association, and not yet by the socket.
    private var unsent: [UInt8]?
    /// When a refused connection is tried again: libzmq does not do that by itself.
    private var retry: ContinuousClock.Instant?
    private var socketPlace = 0
    private var monitorPlace = 0
    private var isPolled = false

    private static let retryPause = Duration.milliseconds(250)

    private final class Connection {
        let socket: Socket
        var monitor: SocketMonitor

        init(_ socket: consuming Socket, _ monitor: consuming SocketMonitor) {
            self.socket = socket
            self.monitor = monitor
        }
    }

    init(
        _ association: Association, in context: Context, configuration: ClusterConfiguration, name: String
    ) throws(ZeroMQError) {
        self.association = association
        self.context = context
        self.configuration = configuration
        self.name = name
        try self.open()
    }

    private func open() throws(ZeroMQError) {
        let peer = self.association.peer
        let socket = try Socket(.dealer, in: self.context)
        try socket.set(.linger, to: 0)
        try socket.set(.immediate, to: true)
        try socket.set(.sendHighWaterMark, to: 64)
        try socket.set(.receiveHighWaterMark, to: 256)
        try socket.set(.heartbeatInterval, to: 1_000)
        try socket.set(.heartbeatTimeout, to: 3_000)
        try socket.set(.reconnectInterval, to: 20)
        try socket.set(.longestReconnectInterval, to: 500)
        try socket.limitMessages(to: self.configuration.largestMessage)
        try socket.useCurve(
            self.configuration.keys, server: peer.curveKeys[self.keyIndex % peer.curveKeys.count])
        let monitor = try SocketMonitor(of: socket, name: "\(self.name)-\(self.keyIndex)", in: self.context)
        try socket.connect(peer.endpoint)
        self.connection = Connection(socket, monitor)
        self.retry = nil
    }

    private func reopenLater() {
        self.connection = nil
        self.keyIndex += 1
        self.retry = .now + Self.retryPause
    }

    // MARK: Turns

    func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        self.isPolled = self.connection != nil
        if let connection = self.connection {
            let hasFrames = self.unsent != nil || self.association.hasFrames
            self.socketPlace = poller.add(connection.socket, whenWritable: hasFrames)
            self.monitorPlace = connection.monitor.add(to: &poller)
        }
        return [self.association.nextDeadline, self.retry].compactMap { $0 }.min()
    }

    /// - Parameter receive: takes what the peer said.
    func turn(_ poller: borrowing Poller, _ receive: (PeerLink, [UInt8]) -> Void) throws(ZeroMQError) {
        if let retry = self.retry, retry <= .now { try self.open() }
        if self.isPolled {
            if poller.isReadable(self.socketPlace) { try self.receiveAll(receive) }
            if poller.isReadable(self.monitorPlace) { try self.watch() }
        }
        try self.sendAll()
        self.association.expire(at: .now)
    }

    private func receiveAll(_ receive: (PeerLink, [UInt8]) -> Void) throws(ZeroMQError) {
        var part = MessagePart()
        // A peer that never pauses must not keep the others waiting.
        for _ in 0..<256 {
            guard try self.connection?.socket.receive(&part) == true else { return }
            var parts = 1
            let bytes = part.bytes
            while part.hasMore, try self.connection?.socket.receive(&part) == true { parts += 1 }
            if parts == 1 { receive(self, bytes) }
        }
    }

    private func watch() throws(ZeroMQError) {
        while let event = try self.connection?.monitor.next() {
            switch event {
            case .ready: break
            case .disconnected:
                self.unsent = nil
                self.association.loseConnection()
            case .refused: return self.reopenLater()
            }
        }
    }

    private func sendAll() throws(ZeroMQError) {
        while let connection = self.connection, let frame = self.unsent ?? self.association.takeFrame() {
            self.unsent = frame
            guard case .sent = try connection.socket.send(frame) else { return }
            self.unsent = nil
        }
    }
}
