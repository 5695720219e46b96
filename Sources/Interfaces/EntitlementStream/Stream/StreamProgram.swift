import EventLog
import Queries
import WireProtocol
import ZeroMQ

/// The sockets of a publisher: a PUB for what is published, a ROUTER for questions, and the handler that lets subscribers
/// in. Used on the reactor's thread only.
struct StreamProgram: ReactorProgram, ~Copyable {
    private static let domain = "perennial.stream"
    /// A question is small, and so is a subscription.
    private static let largestMessage = 4_096
    private static let shortestPause = Duration.milliseconds(1)
    /// For those who do not read.
    private static let longestPause = Duration.milliseconds(64)

    private let publisher: Publisher
    private let log: ServedLog
    private let context: Context
    private let stream: Socket
    private let service: Socket
    private let servicePort: UInt16
    private var zap: ZAPHandler
    private var nextBeat = ContinuousClock.now
    private var answers: WaitingAnswers
    /// When those are tried again that the socket does not take; it does not say when it would.
    private var nextAttempt: ContinuousClock.Instant?
    private var pause = StreamProgram.shortestPause
    private var zapPlace = 0
    private var servicePlace = 0

    /// Binds.
    init(_ publisher: Publisher, _ log: ServedLog) throws(ZeroMQError) {
        let configuration = publisher.configuration
        let context = try Context()
        let zap = try ZAPHandler(in: context, domain: Self.domain)
        let stream = try Self.socket(.publish, configuration, in: context)
        try stream.set(.sendHighWaterMark, to: Int32(clamping: configuration.messagesPerSubscriber))
        let service = try Self.socket(.router, configuration, in: context)
        // Pages are large: few wait in the socket, and it says when it takes no more.
        try service.set(.sendHighWaterMark, to: Int32(clamping: 2 * configuration.pagesUnderWay))
        try service.set(.mandatory, to: true)
        let first = try stream.bind(configuration.bind)
        let second = try service.bind(Self.endpoint(after: configuration.bind))
        self.publisher = publisher
        self.log = log
        self.context = context
        self.zap = zap
        self.stream = stream
        self.service = service
        self.servicePort = Self.port(of: second) ?? 0
        self.answers = WaitingAnswers(limit: configuration.requestsPerConnection)
        publisher.listens(at: Publisher.Endpoints(stream: first, service: second))
    }

    private static func socket(
        _ kind: Socket.Kind, _ configuration: StreamConfiguration, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.set(.linger, to: 0)
        try socket.beat(every: 2_000, timeout: 10_000)
        try socket.set(.handshakeInterval, to: 5_000)
        try socket.limitMessages(to: Self.largestMessage)
        try socket.serveCurve(configuration.keys, domain: Self.domain)
        return socket
    }

    /// The same address with the port that follows; where the system chooses the port, with another of its choice.
    private static func endpoint(after endpoint: String) -> String {
        guard let port = Self.port(of: endpoint), port > 0, port < .max, let colon = endpoint.lastIndex(of: ":")
        else { return endpoint }
        return "\(endpoint[...colon])\(port + 1)"
    }

    private static func port(of endpoint: String) -> UInt16? {
        endpoint.lastIndex(of: ":").flatMap { UInt16(endpoint[endpoint.index(after: $0)...]) }
    }

    mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        self.zapPlace = self.zap.add(to: &poller)
        self.servicePlace = poller.add(self.service)
        return min(self.nextBeat, self.nextAttempt ?? self.nextBeat)
    }

    mutating func turn(_ poller: borrowing Poller) throws(ZeroMQError) -> Bool {
        guard !self.publisher.outbox.isClosed else { return false }
        if poller.isReadable(self.zapPlace) {
            try self.zap.answer(self.publisher.user)
        }
        if poller.isReadable(self.servicePlace) { try self.receiveRequests() }
        // What a beat names has been sent before it.
        let beat = self.nextBeat <= .now ? self.beat() : nil
        for changes in self.publisher.outbox.takeChanges() {
            for delta in changes.deltas { _ = try self.stream.send(delta.published(in: changes.shard)) }
        }
        try self.sendAnswers()
        if let beat {
            _ = try self.stream.send(beat.published())
            self.nextBeat = .now + self.publisher.configuration.beatInterval
        }
        return true
    }

    private mutating func sendAnswers() throws(ZeroMQError) {
        let isFirst = self.answers.isEmpty
        for answer in self.publisher.outbox.takeAnswers() {
            if !self.answers.add(answer) { self.publisher.countDropped() }
        }
        let hasSent = try self.answers.send(over: self.service)
        self.pause = hasSent || isFirst ? Self.shortestPause : min(self.pause * 2, Self.longestPause)
        self.nextAttempt = self.answers.isEmpty ? nil : .now + self.pause
    }

    private func beat() -> StreamBeat {
        let heads = self.log.heads()
        self.publisher.learn(heads.unknown)
        return StreamBeat(
            origin: self.log.origin, node: self.log.node.rawValue, servicePort: self.servicePort,
            shardCount: self.log.shardCount, heads: heads.known)
    }

    private func receiveRequests() throws(ZeroMQError) {
        var identity = MessagePart()
        var part = MessagePart()
        // Whoever never pauses must not keep the others waiting.
        for _ in 0..<64 {
            guard try self.service.receive(&identity), try self.service.receive(&part) else { return }
            let user = part.userID
            let bytes = part.hasMore ? nil : part.bytes
            while part.hasMore, try self.service.receive(&part) {}
            let isBehind = self.answers.count(for: identity.bytes) >= self.publisher.configuration.pagesUnderWay
            self.publisher.receive(bytes, from: identity.bytes, user: user, isBehind: isBehind) { self.beat() }
        }
    }
}
