import NIOCore

/// One connection of a load: at most one request at a time.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let run: LoadRun
    private var reader = ResponseReader()
    private var context: ChannelHandlerContext?
    /// From when on the request that was sent last counts.
    private(set) var since = NIODeadline.now()

    init(run: LoadRun) { self.run = run }

    func send(_ request: ByteBuffer, since: NIODeadline, keepsBody: Bool) {
        self.since = since
        self.reader.keepsBody = keepsBody
        self.context?.writeAndFlush(self.wrapOutboundOut(request), promise: nil)
    }

    func close() { self.context?.close(promise: nil) }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        self.run.connected(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            guard let answer = try self.reader.read(self.unwrapInboundIn(data)) else { return }
            self.run.answered(answer, on: self)
        } catch {
            self.run.fail(error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.run.fail(BenchmarkError("a connection failed: \(error)"))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        self.run.fail(BenchmarkError("the server closed a connection"))
    }
}
