import AppStoreSimulator
import Foundation
import Hummingbird
import Logging
import NIOCore
import PerennialTestSupport
import ServiceLifecycle
import Synchronization
import Testing

/// The publisher's backend against a node on this machine that notes what comes.
@Suite(.timeLimit(.minutes(10))) struct BackendPlayerTests {
    /// What a node was asked, and what it answers.
    private final class NotingNode: Sendable {
        struct Request: Hashable {
            let path: String
            let customer: String?
            let authorization: String?
        }

        private let answered = Mutex<[Request]>([])
        private let refused = Mutex(0)
        private let refusals: Int

        /// - Parameter refusals: how many requests are answered with 503 first.
        init(refusals: Int = 0) { self.refusals = refusals }

        var requests: [Request] { self.answered.withLock { $0 } }

        func answer(_ request: Hummingbird.Request) async throws -> Response {
            let body = try await request.body.collect(upTo: 1 << 20)
            let members = try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any]
            let isRefused = self.refused.withLock { count in
                count += 1
                return count <= self.refusals
            }
            guard !isRefused else { return Response(status: .serviceUnavailable) }
            self.answered.withLock {
                $0.append(
                    Request(
                        path: request.uri.path, customer: members?["customerId"] as? String,
                        authorization: request.headers[.authorization]))
            }
            guard members?["customerId"] as? String != "emil-2" else {
                return Response(
                    status: .conflict, body: .init(byteBuffer: ByteBuffer(string: #"{"code":"linkedElsewhere"}"#)))
            }
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "{}")))
        }
    }

    /// Runs a simulator whose backend asks a node until so many of its requests are settled.
    ///
    /// - Parameter addresses: where it asks, by the node's address.
    /// - Returns: those that are settled in the end.
    private func play(
        _ node: NotingNode, in path: String, until count: Int,
        addresses: @escaping @Sendable (String) -> [String] = { [$0] }
    ) async throws -> [BackendLog.Entry] {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = Router()
        router.post("/**") { request, _ in try await node.answer(request) }
        router.put("/**") { request, _ in try await node.answer(request) }
        return try await router.serve { address in
            var configuration = SimulatorConfiguration(keysDirectory: path)
            configuration.scenario = .customers
            configuration.subscribers = 20
            configuration.speed = 1e9
            configuration.backend = .init(urls: addresses(address), token: "secret")
            let simulator = try AppStoreSimulator(configuration, logger: logger)
            let store = ServiceGroup(services: [simulator], logger: logger)
            async let living: Void = store.run()
            while Self.settled(simulator).count < count { try await Task.sleep(for: .milliseconds(5)) }
            await store.triggerGracefulShutdown()
            try await living
            return Self.settled(simulator)
        }
    }

    private static func settled(_ simulator: AppStoreSimulator) -> [BackendLog.Entry] {
        simulator.backendRequests.entries(after: nil, limit: .max).entries.filter { $0.state != .waiting }
    }

    @Test func `requests are made one after the other`() async throws {
        try await withTemporaryDirectory { path in
            let node = NotingNode()
            let settled = try await self.play(node, in: path, until: 15)
            #expect(node.requests.count == settled.count)
            #expect(node.requests.allSatisfy { $0.authorization == "Bearer secret" })
            for (request, entry) in zip(node.requests, settled) {
                switch entry.request.action {
                case .post:
                    #expect(request.path == "/v1/transactions")
                    #expect(request.customer == entry.request.customerID)
                case .register: #expect(request.path == "/v1/customers/\(entry.request.customerID)")
                case .move: #expect(request.path == "/v1/customers/\(entry.request.customerID)/move")
                case .grant(let grant):
                    #expect(request.path == "/v1/customers/\(entry.request.customerID)/grants/\(grant.id)")
                }
            }
            let refused = settled.filter { $0.request.customerID == "emil-2" }
            #expect(refused.count == 2)
            #expect(refused.allSatisfy { $0.state == .refused(status: 409, code: "linkedElsewhere") })
            #expect(settled.count { $0.state == .done } == settled.count - 2)
        }
    }

    @Test func `what a node has no time for is asked again`() async throws {
        try await withTemporaryDirectory { path in
            let node = NotingNode(refusals: 3)
            let settled = try await self.play(node, in: path, until: 5)
            #expect(node.requests.count == settled.count)
            #expect(node.requests.first?.customer == "anna")
            #expect(settled.first?.state == .done)
        }
    }

    @Test func `where one node does not answer another one is asked`() async throws {
        try await withTemporaryDirectory { path in
            let node = NotingNode(refusals: 1)
            // Nobody listens on the first port.
            let settled = try await self.play(node, in: path, until: 5) { ["http://127.0.0.1:1", $0] }
            #expect(node.requests.count == settled.count)
            #expect(settled.first?.state == .done)
        }
    }

    @Test func `a simulation that goes on asks for nothing twice`() async throws {
        try await withTemporaryDirectory { path in
            let node = NotingNode()
            let before = try await self.play(node, in: path, until: 5)
            let after = try await self.play(node, in: path, until: before.count + 5)
            #expect(node.requests.count == after.count)
            #expect(after.prefix(before.count).map(\.request) == before.map(\.request))
        }
    }
}
