import EventLog
import WireProtocol
import ZeroMQ

/// The sockets of a node: a ROUTER that takes calls and gives replies, a link for each association, and the handler that
/// lets peers in. Used on the reactor's thread only.
struct ClusterProgram: ReactorProgram, ~Copyable {
    private static let domain = "perennial"

    private let node: ClusterNode
    private let system: ClusterSystem
    private let context: Context
    private let router: Socket
    private var zap: ZAPHandler
    private var links: [ObjectIdentifier: PeerLink] = [:]
    /// Of the associations that there are links for.
    private var version = 0
    /// So that monitors have names of their own.
    private var linkCount = 0
    /// Replies that their connection had no room for.
    private var unsent: [ReplyRoute: [UInt8]] = [:]
    /// After it they are tried again. It grows while nothing moves: whoever reads nothing costs next to nothing.
    private var pause = Self.shortestPause
    private var routerPlace = 0
    private var zapPlace = 0

    /// Listens.
    init(_ node: ClusterNode, serving system: ClusterSystem) throws(ZeroMQError) {
        let configuration = node.configuration
        let context = try Context()
        let zap = try ZAPHandler(in: context, domain: Self.domain)
        let router = try Socket(.router, in: context)
        // At the end, for the last replies.
        try router.set(.linger, to: 250)
        try router.set(.mandatory, to: true)
        try router.set(.sendHighWaterMark, to: 64)
        try router.beat(every: 1_000, timeout: configuration.heartbeatMilliseconds)
        try router.set(.handshakeInterval, to: 5_000)
        try router.limitMessages(to: configuration.largestMessage)
        try router.serveCurve(configuration.keys, domain: Self.domain)
        let endpoint = try router.bind(configuration.bind)
        self.node = node
        self.system = system
        self.context = context
        self.zap = zap
        self.router = router
        node.listens(at: endpoint)
    }

    mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        self.zapPlace = self.zap.add(to: &poller)
        self.routerPlace = poller.add(self.router)
        var deadline = self.node.repliesDue
        if !self.unsent.isEmpty { deadline = min(deadline ?? .now + self.pause, .now + self.pause) }
        for link in self.links.values {
            if let next = link.prepare(&poller) { deadline = min(deadline ?? next, next) }
        }
        return deadline
    }

    mutating func turn(_ poller: borrowing Poller) throws(ZeroMQError) -> Bool {
        guard !self.node.isStopping else {
            try self.sendReplies()
            return false
        }
        if poller.isReadable(self.zapPlace) { try self.letIn() }
        if poller.isReadable(self.routerPlace) { try self.receiveCalls() }
        for link in self.links.values {
            try link.turn(poller, for: self.node)
        }
        self.matchLinks()
        try self.sendReplies()
        return true
    }

    private mutating func letIn() throws(ZeroMQError) {
        let node = self.node
        try self.zap.answer { node.user(of: $0) }
    }

    private func receiveCalls() throws(ZeroMQError) {
        var identity = MessagePart()
        var part = MessagePart()
        // Whoever never pauses must not keep the others waiting.
        for _ in 0..<256 {
            guard try self.router.receive(&identity), try self.router.receive(&part) else { return }
            let user = part.userID
            let bytes = part.hasMore ? nil : part.bytes
            while part.hasMore, try self.router.receive(&part) {}
            self.node.receiveCalls(bytes, from: identity.bytes, user: user, for: self.system)
        }
    }

    /// A socket for each association, and none without.
    private mutating func matchLinks() {
        guard let associations = self.node.associations.all(after: &self.version) else { return }
        let wanted = Set(associations.map(ObjectIdentifier.init))
        for id in self.links.keys where !wanted.contains(id) { self.links[id] = nil }
        for association in associations where self.links[ObjectIdentifier(association)] == nil {
            self.linkCount += 1
            self.links[ObjectIdentifier(association)] = PeerLink(
                association, in: self.context, configuration: self.node.configuration, name: "\(self.linkCount)")
        }
    }

    /// A connection whose peer reads slowly keeps its replies, which goes on gathering them, and is tried again soon: a
    /// ROUTER does not tell when one of its peers takes more.
    private mutating func sendReplies() throws(ZeroMQError) {
        let replies = self.node.replies
        var hasMoved = self.unsent.isEmpty
        for route in Set(replies.routes).union(self.unsent.keys) {
            while let frame = self.unsent.removeValue(forKey: route) ?? replies.takeFrame(for: route) {
                switch try self.router.send(route.identity, more: true) {
                case .sent:
                    _ = try self.router.send(frame)
                    hasMoved = true
                case .unroutable: replies.drop(route)
                case .full: self.unsent[route] = frame
                }
                guard self.unsent[route] == nil else { break }
            }
        }
        self.pause = hasMoved ? Self.shortestPause : min(self.pause * 2, Self.longestPause)
    }

    private static let shortestPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(32)
}
