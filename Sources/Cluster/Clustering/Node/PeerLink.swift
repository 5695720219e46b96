import ZeroMQ

/// The socket of one association. Used on the reactor's thread only.
final class PeerLink {
    private static let pauseAfterLoss = Duration.milliseconds(20)
    private static let pauseAfterRefusal = Duration.milliseconds(250)

    let association: Association
    private let context: Context
    private let configuration: ClusterConfiguration
    private let name: String
    private var connection: Connection?
    /// How often a socket was made.
    private var attempts = 0
    /// Which of the peer's keys is tried.
    private var keyIndex = 0
    /// Taken from the association, and not yet by the socket.
    private var unsent: [UInt8]?
    /// When a socket is made.
    private var retry: ContinuousClock.Instant? = .now
    /// What the node table says cannot be used, and this was said.
    private var isUnusable = false
    private var socketPlace = 0
    private var monitorPlace = 0
    private var isPolled = false

    /// Each connection has a socket of its own, although libzmq connects again by itself: not after every end, for one;
    /// and what is sent between the news that a connection broke and its end inside of the socket would be lost without
    /// any further news.
    private final class Connection {
        let monitored: MonitoredSocket
        /// Since when messages pass.
        var ready: ContinuousClock.Instant?

        init(_ monitored: consuming MonitoredSocket) { self.monitored = monitored }
    }

    /// - Parameter name: unique in the context.
    init(_ association: Association, in context: Context, configuration: ClusterConfiguration, name: String) {
        self.association = association
        self.context = context
        self.configuration = configuration
        self.name = name
    }

    private func open() throws(ZeroMQError) {
        let peer = self.association.peer
        let socket = try Socket(.dealer, in: self.context)
        try socket.set(.linger, to: 0)
        try socket.set(.immediate, to: true)
        try socket.set(.sendHighWaterMark, to: 64)
        try socket.beat(every: 1_000, timeout: self.configuration.heartbeatMilliseconds)
        try socket.set(.connectTimeout, to: 3_000)
        try socket.set(.handshakeInterval, to: 5_000)
        try socket.set(.reconnectInterval, to: 20)
        try socket.set(.longestReconnectInterval, to: 500)
        try socket.limitMessages(to: self.configuration.largestMessage)
        try socket.useCurve(self.configuration.keys, server: peer.curveKeys[self.keyIndex % peer.curveKeys.count])
        self.attempts += 1
        let monitored = try MonitoredSocket(socket, name: "\(self.name)-\(self.attempts)", in: self.context)
        try monitored.socket.connect(peer.endpoint)
        self.connection = Connection(monitored)
    }

    private func openLater(after pause: Duration) {
        self.connection = nil
        self.retry = .now + pause
    }

    // MARK: Turns

    func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        // Read first: what is not held any more at that moment is found to be ready below.
        let deadline = self.association.nextDeadline
        self.isPolled = self.connection != nil
        if let connection = self.connection {
            let hasFrames = connection.ready != nil && (self.unsent != nil || self.association.hasFrames)
            self.socketPlace = poller.add(connection.monitored.socket, whenWritable: hasFrames)
            self.monitorPlace = connection.monitored.addEvents(to: &poller)
        }
        guard let deadline, let retry = self.retry else { return deadline ?? self.retry }
        return min(deadline, retry)
    }

    /// - Parameter node: takes what the peer said.
    func turn(_ poller: borrowing Poller, for node: ClusterNode) throws(ZeroMQError) {
        self.openIfDue(for: node)
        if self.isPolled {
            if poller.isReadable(self.socketPlace) { try self.receiveAll(for: node) }
            if poller.isReadable(self.monitorPlace) { try self.watch(for: node) }
        }
        try self.sendAll()
        self.association.expire(at: .now)
        if self.connection?.ready == nil { self.association.forgetUnsent(at: .now) }
    }

    private func openIfDue(for node: ClusterNode) {
        guard let retry = self.retry, retry <= .now else { return }
        self.retry = nil
        do {
            try self.open()
            self.isUnusable = false
        } catch {
            if !self.isUnusable { node.cannotConnect(to: self.association.peer, error) }
            self.isUnusable = true
            self.openLater(after: Self.pauseAfterRefusal)
        }
    }

    private func receiveAll(for node: ClusterNode) throws(ZeroMQError) {
        guard let connection = self.connection else { return }
        var part = MessagePart()
        // A peer that never pauses must not keep the others waiting.
        for _ in 0..<256 {
            guard try connection.monitored.socket.receive(&part) else { return }
            let bytes = part.hasMore ? nil : part.bytes
            while part.hasMore, try connection.monitored.socket.receive(&part) {}
            node.receiveReplies(bytes, from: self.association)
        }
    }

    private func watch(for node: ClusterNode) throws(ZeroMQError) {
        while let connection = self.connection, let event = try connection.monitored.nextEvent() {
            switch event {
            case .ready:
                connection.ready = .now
                self.association.connect()
            case .disconnected:
                // What had come before counts.
                try self.receiveAll(for: node)
                self.unsent = nil
                self.association.loseConnection()
                if connection.ready != nil {
                    node.lostPeers.add(self.association)
                } else {
                    // It may have failed for the key: a peer that cannot read it says no more.
                    self.keyIndex += 1
                }
                let hasLasted = connection.ready.map { .now - $0 > Self.pauseAfterRefusal } ?? false
                self.openLater(after: hasLasted ? Self.pauseAfterLoss : Self.pauseAfterRefusal)
            case .refused:
                // On a connection that was ready something else came than messages of the peer: it ends, which is told next.
                guard connection.ready == nil else { continue }
                self.keyIndex += 1
                self.openLater(after: Self.pauseAfterRefusal)
            }
        }
    }

    private func sendAll() throws(ZeroMQError) {
        while let connection = self.connection, connection.ready != nil,
            let frame = self.unsent ?? self.association.takeFrame()
        {
            self.unsent = frame
            guard case .sent = try connection.monitored.socket.send(frame) else { return }
            self.unsent = nil
        }
    }
}
