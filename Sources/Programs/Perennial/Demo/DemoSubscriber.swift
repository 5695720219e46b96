import EntitlementStream
import Logging
import PerennialClient
import ServiceLifecycle
import ZeroMQ

/// A service beside the node, as publishers have many: it follows all changes with `PerennialClient`.
struct DemoSubscriber: Service {
    let publisher: Publisher
    /// Of the publisher, in Z85.
    let publicKey: String
    let keys: CurveKeyPair
    let figures: DemoFigures

    /// Lists the subscriber in a node's configuration, which may publish already.
    static func join(_ stream: inout StreamConfiguration?) throws -> (publicKey: String, keys: CurveKeyPair) {
        let keys = try CurveKeyPair()
        var joined =
            try stream
            ?? StreamConfiguration(
                bind: "tcp://127.0.0.1:*", keys: CurveKeyPair(), subscribers: [:])
        joined.subscribers[keys.publicKey] = "demo"
        stream = joined
        return (Z85.text(of: joined.keys.publicKey) ?? "", keys)
    }

    func run() async throws {
        try await untilGracefulShutdown {
            guard let endpoints = await self.publisher.endpoints() else { return }
            var configuration = PerennialClient.Configuration(
                nodes: [.init(address: endpoints.stream.replacing("tcp://", with: ""), publicKey: self.publicKey)],
                secretKey: Z85.text(of: self.keys.secretKey) ?? "")
            configuration.logger = Logger(label: "subscriber") { _ in SwiftLogNoOpLogHandler() }
            let client = try PerennialClient(configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.run() }
                for await event in try client.changes() {
                    if case .change = event { self.figures.countFollowed() }
                }
                group.cancelAll()
            }
        }
    }
}
