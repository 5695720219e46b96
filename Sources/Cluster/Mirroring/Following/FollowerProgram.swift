import EventLog
import Logging
import WireProtocol
import ZeroMQ

/// The sockets of a follower. Used on the reactor's thread only.
struct FollowerProgram: ReactorProgram, ~Copyable {
    private let owner: Follower
    private let context: Context
    private var links: [StreamSource: SourceLink] = [:]
    private var lastSource = 0
    /// nil until a store has been heard of that the owner wants.
    private var follower: StreamFollower?

    init(_ owner: Follower) throws(ZeroMQError) {
        self.owner = owner
        self.context = try Context()
        self.meetSources()
    }

    private mutating func meetSources() {
        let sources = self.owner.sources
        for (source, link) in self.links where !sources.contains(source) {
            self.links[source] = nil
            self.follower?.lose(link.id, at: .now)
        }
        for source in sources where self.links[source] == nil {
            self.lastSource += 1
            self.links[source] = SourceLink(source, id: SourceID(rawValue: self.lastSource))
        }
    }

    mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
        var deadline = self.follower?.nextDeadline
        for link in self.links.values {
            let next = link.prepare(&poller)
            deadline = min(deadline ?? next, next)
        }
        return deadline
    }

    mutating func turn(_ poller: borrowing Poller) throws(ZeroMQError) -> Bool {
        guard !self.owner.isStopping else { return false }
        self.meetSources()
        for link in self.links.values {
            if try link.openIfSilent(in: self.context, keys: self.owner.keys) {
                self.follower?.lose(link.id, at: .now)
            }
            try link.receivePublished(poller) { self.hear($0, from: link) }
            try link.receiveAnswers(poller) { self.take($0, from: link) }
        }
        try self.ask()
        return true
    }

    // MARK: What comes

    private mutating func hear(_ message: [UInt8], from link: SourceLink) {
        let body = Array(message.dropFirst(StreamTopic.size))
        do {
            switch StreamTopic(message) {
            case .beat:
                let beat = try StreamBeat(decoding: body)
                link.servicePort = beat.servicePort
                self.begin(with: beat)
                self.follower?.hear(beat, from: link.id, at: .now)
            case .shard(let shard):
                guard self.follower != nil else { return }
                try self.follower?.hear(StreamDelta(decoding: body), of: shard, from: link.id, at: .now)
            case nil: throw WireError(.malformed, "a message without a topic")
            }
        } catch {
            self.complain(error, about: link)
        }
    }

    private mutating func begin(with beat: StreamBeat) {
        guard self.follower == nil, beat.shardCount > 0,
            let sink = self.owner.makeSink(beat.origin, beat.shardCount)
        else { return }
        self.follower = StreamFollower(
            beat.origin, shardCount: beat.shardCount, from: self.owner.start(beat.origin),
            withCustomers: self.owner.withCustomers, sink: sink
        ) { [owner] in owner.missed() }
    }

    private mutating func take(_ message: [UInt8], from link: SourceLink) {
        do {
            try self.follower?.take(try StreamAnswer(decoding: message), at: .now)
        } catch {
            self.complain(error, about: link)
        }
    }

    private func complain(_ error: any Error, about link: SourceLink) {
        let message =
            switch error {
            case let error as MirrorError: error.message
            case let error as WireError: error.message
            default: "\(error)"
            }
        self.owner.logger.error(
            "A message of the stream cannot be read",
            metadata: ["source": "\(link.source.endpoint)", "error": "\(message)"])
    }

    // MARK: What to ask

    private mutating func ask() throws(ZeroMQError) {
        guard self.follower != nil else { return }
        let now = ContinuousClock.now
        for link in self.links.values where link.isProbeDue(at: now) {
            guard let probe = self.follower?.probe(link.id, at: now) else { continue }
            if try !link.send(probe) { self.follower?.giveUp(probe.id, until: now) }
        }
        for (source, request) in self.follower?.ask(at: now) ?? [] {
            let link = self.links.values.first { $0.id == source }
            if try link?.send(request) != true {
                self.follower?.giveUp(request.id, until: now + SourceLink.pauseAfterFailure)
            }
        }
    }
}
