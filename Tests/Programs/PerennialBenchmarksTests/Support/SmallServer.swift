import NIOCore
import NIOPosix
import Synchronization

/// An HTTP server that looks at nothing but where a request ends, on a free port.
struct SmallServer {
    /// What is done with a request.
    enum Step: Sendable {
        case answer(String)
        /// In two pieces, with a pause between them.
        case answerInPieces(String, String)
        case stall(TimeAmount, thenAnswer: String)
        case close
    }

    static let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"

    let port: Int

    /// - Parameter step: told how many requests came before.
    static func run<Result: Sendable>(
        _ step: @Sendable @escaping (Int) -> Step, _ body: (SmallServer) async throws -> Result
    ) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let count = Counter()
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler { step(count.next()) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(SmallServer(port: channel.localAddress?.port ?? 0)))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        func next() -> Int { self.count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    /// Takes requests whose body is `{}`.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let step: @Sendable () -> Step

        init(step: @Sendable @escaping () -> Step) { self.step = step }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let requests = String(buffer: self.unwrapInboundIn(data)).split(separator: "POST ").count
            for _ in 0..<requests { self.take(context) }
        }

        private func take(_ context: ChannelHandlerContext) {
            switch self.step() {
            case .answer(let text): self.write(text, context)
            case .answerInPieces(let first, let second):
                self.write(first, context)
                self.write(second, after: .milliseconds(20), context)
            case .stall(let time, let text): self.write(text, after: time, context)
            case .close: context.close(promise: nil)
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        private func write(_ text: String, after time: TimeAmount, _ context: ChannelHandlerContext) {
            context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.write(text, context) }
        }
    }
}
