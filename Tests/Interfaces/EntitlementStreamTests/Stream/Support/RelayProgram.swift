import EntitlementStream
import ZeroMQ

/// The sockets of a relay: a SUB and a PUB for what is published, a ROUTER for those who ask, and a DEALER for each of
/// them. Used on the reactor's thread only.
struct RelayProgram: ReactorProgram, ~Copyable {
    private final class Line {
        let socket: Socket
        /// In the poller of this turn; nil before the first.
        var place: Int?

        init(_ socket: consuming Socket) { self.socket = socket }
    }

    private static let domain = "relay"

    private let relay: LossyRelay
    private let context: Context
    private var zap: ZAPHandler
    private let source: Socket
    private let stream: Socket
    private let service: Socket
    /// By the name of the asker's connection.
    private var lines: [[UInt8]: Line] = [:]
    private var (zapPlace, sourcePlace, servicePlace) = (0, 0, 0)

    /// Binds.
    init(_ relay: LossyRelay) throws(ZeroMQError) {
        let context = try Context()
        let zap = try ZAPHandler(in: context, domain: Self.domain)
        let stream = try Self.socket(.publish, in: context)
        try stream.serveCurve(relay.keys.node, domain: Self.domain)
        _ = try stream.bind(relay.stream)
        let service = try Self.socket(.router, in: context)
        try service.serveCurve(relay.keys.node, domain: Self.domain)
        _ = try service.bind(relay.service)
        let source = try Self.socket(.subscribe, in: context)
        try source.useCurve(relay.keys.subscriber, server: relay.keys.node.publicKey)
        try source.subscribe(to: [])
        try source.connect(relay.node.stream)
        self.relay = relay
        self.context = context
        self.zap = zap
        self.source = source
        self.stream = stream
        self.service = service
    }

    /// Nothing is lost but what is meant to be.
    private static func socket(_ kind: Socket.Kind, in context: Context) throws(ZeroMQError) -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.set(.linger, to: 0)
        try socket.set(.sendHighWaterMark, to: 0)
        try socket.set(.receiveHighWaterMark, to: 0)
        return socket
    }

    mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        self.zapPlace = self.zap.add(to: &poller)
        self.sourcePlace = poller.add(self.source)
        self.servicePlace = poller.add(self.service)
        for line in self.lines.values { line.place = poller.add(line.socket) }
        return nil
    }

    mutating func turn(_ poller: borrowing Poller) throws(ZeroMQError) -> Bool {
        guard !self.relay.isOver else { return false }
        if poller.isReadable(self.zapPlace) {
            let subscriber = self.relay.keys.subscriber.publicKey
            try self.zap.answer { $0 == subscriber ? "subscriber" : nil }
        }
        if poller.isReadable(self.sourcePlace) { try self.passPublished() }
        for (identity, line) in self.lines {
            if let place = line.place, poller.isReadable(place) { try self.passAnswers(from: line, to: identity) }
        }
        if poller.isReadable(self.servicePlace) { try self.passQuestions() }
        return true
    }

    private func passPublished() throws(ZeroMQError) {
        var part = MessagePart()
        while try self.source.receive(&part) {
            let message = part.bytes
            if !self.relay.loses(LossyRelay.Kind(published: message)) { _ = try self.stream.send(message) }
        }
    }

    private func passAnswers(from line: Line, to identity: [UInt8]) throws(ZeroMQError) {
        var part = MessagePart()
        while try line.socket.receive(&part) {
            let answer = part.bytes
            guard !self.relay.loses(LossyRelay.Kind(answer: answer)) else { continue }
            // To one who is gone neither part is sent.
            _ = try self.service.send(identity, more: true)
            _ = try self.service.send(answer)
        }
    }

    private mutating func passQuestions() throws(ZeroMQError) {
        var identity = MessagePart()
        var part = MessagePart()
        while try self.service.receive(&identity), try self.service.receive(&part) {
            guard !self.relay.loses(.question) else { continue }
            _ = try self.line(of: identity.bytes).socket.send(part.bytes)
        }
    }

    private mutating func line(of identity: [UInt8]) throws(ZeroMQError) -> Line {
        if let line = self.lines[identity] { return line }
        let socket = try Self.socket(.dealer, in: self.context)
        try socket.useCurve(self.relay.keys.subscriber, server: self.relay.keys.node.publicKey)
        try socket.connect(self.relay.node.service)
        let line = Line(socket)
        self.lines[identity] = line
        return line
    }
}
