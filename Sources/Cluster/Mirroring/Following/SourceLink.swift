import WireProtocol
import ZeroMQ

/// The connections to one source: one for what it publishes, one for questions. Used on the reactor's thread only.
final class SourceLink {
    static let pauseAfterFailure = Duration.milliseconds(100)
    /// Ten beats: then the connection is made anew, since libzmq does not notice every end of one, nor that a key that was
    /// refused is listed by now.
    private static let longestSilence = Duration.seconds(5)
    private static let firstSilence = Duration.seconds(1)
    private static let probeInterval = Duration.milliseconds(500)
    private static let messagesPerTurn = 256

    private final class Line {
        let socket: Socket
        /// In the poller of this turn; nil before the first.
        var place: Int?

        init(_ socket: consuming Socket) { self.socket = socket }
    }

    let source: StreamSource
    let id: SourceID
    /// As its beats say.
    var servicePort: UInt16 = 0
    private var stream: Line?
    private var service: (line: Line, port: UInt16)?
    private var lastHeard = ContinuousClock.now
    /// Until something is heard it grows, for those to whom a handshake takes long.
    private var silence = SourceLink.firstSilence
    private var nextProbe = ContinuousClock.now

    init(_ source: StreamSource, id: SourceID) {
        self.source = source
        self.id = id
    }

    func prepare(_ poller: inout Poller) -> ContinuousClock.Instant {
        self.stream?.place = self.stream.map { poller.add($0.socket) }
        self.service?.line.place = self.service.map { poller.add($0.line.socket) }
        let silence = self.stream == nil ? .now : self.silenceEnd
        return self.service == nil ? silence : min(self.nextProbe, silence)
    }

    private var silenceEnd: ContinuousClock.Instant { self.lastHeard + self.silence }

    // MARK: Connections

    /// - Returns: whether what was asked before will not be answered.
    func openIfSilent(in context: Context, keys: CurveKeyPair) throws(ZeroMQError) -> Bool {
        let now = ContinuousClock.now
        if self.stream != nil, now < self.silenceEnd {
            return try self.openService(in: context, keys: keys)
        }
        self.stream = nil
        self.service = nil
        self.lastHeard = now
        self.silence = min(self.silence * 2, Self.longestSilence)
        let socket = try Self.socket(.subscribe, to: self.source.serverKey, keys, in: context)
        // What does not fit is dropped at the source, and asked for. Its own beats say whether the source is there.
        try socket.set(.receiveHighWaterMark, to: 32_768)
        try socket.subscribe(to: [])
        try socket.connect(self.source.endpoint)
        self.stream = Line(socket)
        return true
    }

    private func openService(in context: Context, keys: CurveKeyPair) throws(ZeroMQError) -> Bool {
        guard self.servicePort != 0, self.service?.port != self.servicePort else { return false }
        let socket = try Self.socket(.dealer, to: self.source.serverKey, keys, in: context)
        try socket.set(.immediate, to: true)
        try socket.beat(every: 2_000, timeout: 10_000)
        try socket.connect(self.source.service(port: self.servicePort))
        self.service = (Line(socket), self.servicePort)
        self.nextProbe = .now
        return true
    }

    private static func socket(
        _ kind: Socket.Kind, to serverKey: [UInt8], _ keys: CurveKeyPair, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.set(.linger, to: 0)
        try socket.set(.connectTimeout, to: 3_000)
        try socket.set(.reconnectInterval, to: 20)
        try socket.set(.longestReconnectInterval, to: 500)
        try socket.useCurve(keys, server: serverKey)
        return socket
    }

    // MARK: Messages

    func receivePublished(_ poller: borrowing Poller, _ body: ([UInt8]) -> Void) throws(ZeroMQError) {
        guard try Self.receive(self.stream, poller, body) else { return }
        self.lastHeard = .now
        self.silence = Self.longestSilence
    }

    func receiveAnswers(_ poller: borrowing Poller, _ body: ([UInt8]) -> Void) throws(ZeroMQError) {
        _ = try Self.receive(self.service?.line, poller, body)
    }

    private static func receive(
        _ line: Line?, _ poller: borrowing Poller, _ body: ([UInt8]) -> Void
    ) throws(ZeroMQError) -> Bool {
        // A socket that was opened in this turn waits for the next.
        guard let line, let place = line.place, poller.isReadable(place) else { return false }
        var part = MessagePart()
        // A source that never pauses must not keep the others waiting.
        for _ in 0..<Self.messagesPerTurn {
            guard try line.socket.receive(&part) else { break }
            let bytes = part.hasMore ? nil : part.bytes
            while part.hasMore, try line.socket.receive(&part) {}
            if let bytes { body(bytes) }
        }
        return true
    }

    /// - Returns: false when nobody is there to take it.
    func send(_ request: StreamRequest) throws(ZeroMQError) -> Bool {
        guard let service = self.service, case .sent = try service.line.socket.send(request.encoded()) else {
            return false
        }
        return true
    }

    func isProbeDue(at now: ContinuousClock.Instant) -> Bool {
        guard self.service != nil, self.nextProbe <= now else { return false }
        self.nextProbe = now + Self.probeInterval
        return true
    }
}
