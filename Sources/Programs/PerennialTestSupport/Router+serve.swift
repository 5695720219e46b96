package import Hummingbird
import Logging
import ServiceLifecycle

extension Router<BasicRequestContext> {
    /// Answers on a free port of loopback for as long as `body` takes, which gets its address, `http://127.0.0.1:PORT`.
    package func serve<Result>(_ body: (_ address: String) async throws -> Result) async throws -> Result {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: self, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let server = ServiceGroup(services: [application], logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { port.finish() }
                try await server.run()
            }
            guard let number = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw CancellationError()
            }
            let result = try await body("http://127.0.0.1:\(number)")
            await server.triggerGracefulShutdown()
            try await group.waitForAll()
            return result
        }
    }
}
