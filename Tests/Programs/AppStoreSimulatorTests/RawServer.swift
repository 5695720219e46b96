import Foundation
import NIOCore
import NIOPosix

/// A TCP server that answers the first request of every connection in its own way.
struct RawServer {
    enum Behaviour: Sendable {
        /// Sends this; the connection stays.
        case answers(String)
        /// Sends this, and ends the connection.
        case answersAndCloses(String)
        case closes
        case resets
        case saysNothing
    }

    let port: Int

    /// Runs one while `body` does.
    static func with<Result>(_ behaviour: Behaviour, _ body: (RawServer) async throws -> Result) async throws -> Result
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(behaviour))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result
        do { result = try await body(RawServer(port: channel.localAddress?.port ?? 0)) } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
        return result
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let behaviour: Behaviour
        private var isDone = false

        init(_ behaviour: Behaviour) { self.behaviour = behaviour }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // To close before everything was read would reset the connection.
            let bytes = self.unwrapInboundIn(data).readableBytesView
            let isTLS = bytes.first == 0x16
            guard !self.isDone, isTLS || bytes.last == UInt8(ascii: "}") else { return }
            self.isDone = true
            switch self.behaviour {
            case .answers(let text): self.send(text, context)
            case .answersAndCloses(let text):
                self.send(text, context)
                context.close(promise: nil)
            case .closes: context.close(promise: nil)
            case .resets:
                let channel = context.channel as? any SocketOptionProvider
                _ = channel?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                context.close(promise: nil)
            case .saysNothing: break
            }
        }

        private func send(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: nil)
        }
    }
}
