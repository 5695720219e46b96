package import NIOCore
import NIOPosix

/// Sends prepared requests over HTTP/1.1 to a port of this machine, from one thread, on connections that stay open.
package struct LoadGenerator: Sendable {
    private let port: Int
    private let connections: Int

    package init(port: Int, connections: Int) {
        self.port = port
        self.connections = connections
    }

    /// As fast as the answers come: each connection sends the next request when it has its answer. This shows
    /// throughput; its latencies leave out what a client of its own pace would have waited.
    /// - Parameters:
    ///   - requests: sent in this order, each once, or round and round when there is a `duration`.
    ///   - duration: after this time nothing more is sent. nil for until all are sent.
    /// - Throws: for a status other than 200, a connection that breaks, or half a minute without an answer.
    package func closed(_ requests: [ByteBuffer], for duration: Duration? = nil) async throws -> LoadResult {
        try await self.run(requests, .closed(duration))
    }

    /// At a fixed pace, whatever the answers do: a request that finds all connections busy waits, and its waiting counts.
    /// - Throws: as `closed`.
    package func open(_ requests: [ByteBuffer], perSecond: Int) async throws -> LoadResult {
        try await self.run(requests, .open(.nanoseconds(1_000_000_000 / Int64(perSecond))))
    }

    private func run(_ requests: [ByteBuffer], _ pace: LoadRun.Pace) async throws -> LoadResult {
        precondition(!requests.isEmpty && self.connections > 0)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<LoadResult, any Error>
        do {
            result = .success(try await self.run(requests, pace, on: group.next()))
        } catch {
            result = .failure(error)
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private func run(
        _ requests: [ByteBuffer], _ pace: LoadRun.Pace, on loop: any EventLoop
    ) async throws -> LoadResult {
        let result = loop.makePromise(of: LoadResult.self)
        let run = try await loop.submit {
            NIOLoopBound(
                LoadRun(requests: requests, pace: pace, connections: self.connections, result: result, on: loop),
                eventLoop: loop)
        }.get()
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(run: run.value))
                }
            }
        do {
            for _ in 0..<self.connections { _ = try await bootstrap.connect(host: "127.0.0.1", port: self.port).get() }
        } catch {
            loop.execute { run.value.fail(BenchmarkError("cannot connect to port \(self.port): \(error)")) }
        }
        return try await result.futureResult.get()
    }
}
