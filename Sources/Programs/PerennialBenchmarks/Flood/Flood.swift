import NIOCore
import NIOPosix

/// Connections that send requests as fast as answers come, whatever the answers are, and come again when they are closed;
/// or that do nothing once they have asked for one page.
struct Flood {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let run: NIOLoopBound<FloodRun>

    /// Runs it while `body` runs, which begins when all connections have had an answer.
    /// - Parameter requests: sent round and round; without any, the connections are idle.
    static func run<Result>(
        port: Int, connections: Int, requests: [ByteBuffer], _ body: (Flood) async throws -> Result
    ) async throws -> Result {
        let flood = try await Flood(port: port, requests: requests)
        let result: Swift.Result<Result, any Error>
        do {
            try await flood.onLoop { run in for _ in 0..<connections { run.connect() } }
            try await Patience.until("the connections of a flood") {
                try await flood.onLoop { $0.connectionsAnswered } >= connections
            }
            result = .success(try await body(flood))
        } catch {
            result = .failure(error)
        }
        try await flood.onLoop { $0.end() }
        try await flood.group.shutdownGracefully()
        return try result.get()
    }

    private init(port: Int, requests: [ByteBuffer]) async throws {
        let loop = self.group.next()
        self.run = try await loop.submit {
            NIOLoopBound(FloodRun(port: port, requests: requests, on: loop), eventLoop: loop)
        }.get()
    }

    /// How many answers came so far, by status.
    func answers() async throws -> [Int: Int] { try await self.onLoop { $0.answers } }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (FloodRun) -> Value) async throws -> Value {
        let run = self.run
        return try await self.group.next().submit { body(run.value) }.get()
    }
}

/// A flood on its event loop.
private final class FloodRun {
    private let port: Int
    private let requests: [ByteBuffer]
    private let loop: any EventLoop
    private var sent = 0
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private var isOver = false
    private(set) var answers: [Int: Int] = [:]
    /// At least once.
    var connectionsAnswered = 0

    init(port: Int, requests: [ByteBuffer], on loop: any EventLoop) {
        self.port = port
        self.requests = requests
        self.loop = loop
    }

    func connect() {
        guard !self.isOver else { return }
        let run = NIOLoopBound(self, eventLoop: self.loop)
        ClientBootstrap(group: self.loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FloodConnection(run: run.value))
                }
            }
            .connect(host: "127.0.0.1", port: self.port)
            .whenFailure { _ in
                run.value.loop.assumeIsolated().scheduleTask(in: .milliseconds(10)) { run.value.connect() }
            }
    }

    func opened(_ channel: any Channel) {
        self.channels[ObjectIdentifier(channel)] = channel
        if self.isOver { channel.close(promise: nil) }
    }

    func closed(_ channel: any Channel) {
        self.channels[ObjectIdentifier(channel)] = nil
        self.connect()
    }

    func answered(_ status: Int) { self.answers[status, default: 0] += 1 }

    /// - Parameter isFirst: on its connection.
    /// - Returns: nil when a connection has nothing more to say.
    func next(isFirst: Bool) -> ByteBuffer? {
        guard !self.isOver else { return nil }
        guard !self.requests.isEmpty else {
            return isFirst ? ByteBuffer(string: "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") : nil
        }
        defer { self.sent += 1 }
        return self.requests[self.sent % self.requests.count]
    }

    func end() {
        self.isOver = true
        for channel in self.channels.values { channel.close(promise: nil) }
    }
}

private final class FloodConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let run: FloodRun
    private var reader = ResponseReader()
    private var isFirst = true

    init(run: FloodRun) { self.run = run }

    func channelActive(context: ChannelHandlerContext) {
        self.run.opened(context.channel)
        self.send(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let answer = try? self.reader.read(self.unwrapInboundIn(data)) else { return }
        self.run.answered(answer.status)
        if self.isFirst { self.run.connectionsAnswered += 1 }
        self.isFirst = false
        self.send(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) { self.run.closed(context.channel) }

    private func send(_ context: ChannelHandlerContext) {
        guard let request = self.run.next(isFirst: self.isFirst) else { return }
        context.writeAndFlush(self.wrapOutboundOut(request), promise: nil)
    }
}
