import HTTPAPI
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

/// How long a connection may take to take its answer, in virtual time (ten seconds), and how slowly it may ask.
@Suite struct ConnectionGuardTests {
    /// A client that takes a part of its answer when it is told to.
    private final class Client: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart

        private var waiting: [EventLoopPromise<Void>?] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            self.waiting.append(promise)
        }

        func take() { self.waiting.removeFirst()?.succeed() }
    }

    private let client = Client()
    private let channel: EmbeddedChannel

    init() throws {
        var limits = Configuration.Limits()
        limits.answerTimeout = .seconds(10)
        self.channel = EmbeddedChannel(
            handlers: [self.client, ConnectionGuard(admission: Admission(limits: limits))])
        self.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/client"), promise: nil)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/v1/events")
        try self.channel.writeInbound(HTTPRequestPart.head(request))
        try self.channel.writeInbound(HTTPRequestPart.end(nil))
    }

    private func begin(_ contentType: String) {
        self.write(.head(HTTPResponse(status: .ok, headerFields: [.contentType: contentType])))
        self.client.take()
    }

    private func write(_ part: HTTPResponsePart = .body(ByteBuffer(string: ":\n\n"))) {
        self.channel.writeAndFlush(part, promise: nil)
    }

    /// Whether it is still there after these seconds.
    private func stays(for seconds: Int64) -> Bool {
        for _ in 0..<seconds { self.channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }
        return self.channel.isActive
    }

    @Test func aStreamIsCutOffWhenWhatThereIsIsNotTaken() {
        self.begin("text/event-stream")
        self.write()
        self.write()

        #expect(self.stays(for: 9))
        #expect(!self.stays(for: 2))
    }

    @Test func aStreamWithNothingToTakeStays() {
        self.begin("text/event-stream")
        self.write()
        self.client.take()

        #expect(self.stays(for: 3_600))

        // and the time begins anew with what there is then
        self.write()
        #expect(self.stays(for: 9))
        #expect(!self.stays(for: 2))
    }

    @Test func aStreamThatIsTakenSlowlyStays() {
        self.begin("text/event-stream")
        for _ in 0..<5 { self.write() }

        for _ in 0..<5 {
            #expect(self.stays(for: 9))
            self.client.take()
        }
        #expect(self.stays(for: 3_600))
    }

    @Test func theEndOfAStreamHasToBeTakenToo() {
        self.begin("text/event-stream")
        self.write(.end(nil))

        #expect(self.stays(for: 9))
        #expect(!self.stays(for: 2))
    }

    @Test func anyOtherAnswerHasToBeTakenAsAWhole() {
        self.begin("application/json")
        for _ in 0..<5 { self.write() }

        #expect(self.stays(for: 5))
        self.client.take()
        #expect(self.stays(for: 4))
        #expect(!self.stays(for: 2))
    }

    private func closeInput() { self.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

    @Test(arguments: [true, false])
    func `a stream ends when its client closes its side`(isTaken: Bool) {
        self.begin("text/event-stream")
        self.write()
        if isTaken { self.client.take() }

        self.closeInput()

        #expect(!self.channel.isActive)
    }

    @Test func `a stream ends at its beginning where its client has closed its side before`() {
        self.closeInput()
        #expect(self.channel.isActive)

        self.begin("text/event-stream")
        self.channel.embeddedEventLoop.run()

        #expect(!self.channel.isActive)
    }

    @Test func `any other answer is sent to a client that has closed its side`() {
        self.begin("application/json")
        self.closeInput()
        self.write()
        self.channel.embeddedEventLoop.run()

        #expect(self.channel.isActive)
    }

    /// What requests get that read the body of one that begins now.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart

        private(set) var bytes = 0
        private(set) var failures = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .body(let body) = self.unwrapInboundIn(data) { self.bytes += body.readableBytes }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { self.failures += 1 }
    }

    private static func upload(_ limits: Configuration.Limits) throws -> (EmbeddedChannel, Reader) {
        let reader = Reader()
        let channel = EmbeddedChannel(handlers: [ConnectionGuard(admission: Admission(limits: limits)), reader])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/v1/check",
            headerFields: [.contentLength: "1000000"])
        try channel.writeInbound(HTTPRequestPart.head(head))
        return (channel, reader)
    }

    @Test(arguments: [(1_000, true), (5_000, false)])
    func `a body has to come at a minimal rate`(bytesPerSecond: Int, isCut: Bool) throws {
        var limits = Configuration.Limits()
        limits.bodyTimeout = .hours(1)
        let (channel, reader) = try Self.upload(limits)

        for _ in 0..<60 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 32, count: bytesPerSecond)))
        }

        #expect((reader.failures == 1) == isCut)
        // and no more of it is read
        #expect((reader.bytes < 60 * bytesPerSecond) == isCut)
    }

    @Test func `a pause of our own cuts no body`() throws {
        var limits = Configuration.Limits()
        limits.bodyTimeout = .hours(1)
        let (channel, reader) = try Self.upload(limits)

        // given that it was too slow at one look
        for _ in 0..<6 { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }
        // when what waited is read then
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 32, count: 100_000)))
        for _ in 0..<10 { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }

        #expect(reader.failures == 0)
    }

    @Test func `of connections that have asked for nothing the oldest give way`() throws {
        var limits = Configuration.Limits()
        limits.connections = 2
        let admission = Admission(limits: limits)
        let channels = try (0..<4).map { _ in
            let channel = EmbeddedChannel(handlers: [ConnectionGuard(admission: admission)])
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
            return channel
        }

        for channel in channels { channel.embeddedEventLoop.run() }

        #expect(channels.map(\.isActive) == [false, false, true, true])
    }

    @Test func `connections with something to do stay`() throws {
        var limits = Configuration.Limits()
        limits.connections = 1
        let admission = Admission(limits: limits)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/v1/events")
        let channels = try (0..<2).map { _ in
            let channel = EmbeddedChannel(handlers: [ConnectionGuard(admission: admission)])
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
            try channel.writeInbound(HTTPRequestPart.head(request))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            return channel
        }

        for channel in channels { channel.embeddedEventLoop.run() }

        #expect(channels[0].isActive)
        guard case .head(let refusal) = try channels[1].readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("the second has no answer")
            return
        }
        #expect(refusal.status == .serviceUnavailable)
        #expect(refusal.headerFields[.connection] == "close")
    }
}
