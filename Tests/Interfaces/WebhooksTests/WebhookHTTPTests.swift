import Foundation
import HTTPAPI
import Logging
import PerennialTestSupport
import Shards
import SubscriptionService
import Subscriptions
import Testing
import Webhooks

/// Deliveries over HTTP, as receivers see them.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct WebhookHTTPTests {
    private static let python = ProcessInfo.processInfo.environment["PERENNIAL_TEST_PYTHON"]

    private let receiver = HTTPReceiver()
    private let outbound = OutboundGuard(allowing: [Network("127.0.0.0/8")].compactMap(\.self))

    private func post(
        to url: String, through outbound: OutboundGuard? = nil, timeout: Duration = .seconds(600)
    ) async throws -> WebhookAnswer {
        let transport = HTTPWebhookTransport(outbound ?? self.outbound, agent: "test", timeout: timeout)
        let result: Result<WebhookAnswer, DeliveryFailure>
        do throws(DeliveryFailure) {
            result = .success(
                try await transport.post([1], [("webhook-id", "msg_1")], to: try Self.target(url), of: "whe_1"))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return try result.get()
    }

    private static func target(_ url: String) throws(DeliveryFailure) -> WebhookTarget {
        guard let target = WebhookTarget(url) else { throw DeliveryFailure("no target", isAbsence: false) }
        return target
    }

    @Test(arguments: [200, 204, 301, 302, 400, 410, 429, 500, 503])
    func anyStatusIsAnAnswerAndNoRedirectIsFollowed(_ status: Int) async throws {
        try await self.receiver.run { address in
            let answer = try await self.post(to: "\(address)/status/\(status)")

            #expect(answer.status == status)
            #expect(answer.retryAfter == 17)
            #expect(self.receiver.statuses == [status])
            #expect((answer.failure == nil) == (status < 300))
            #expect(answer.failure?.isGone ?? false == (status == 410))
            #expect(answer.failure?.isAbsence ?? false == [429, 503].contains(status))
        }
    }

    @Test(arguments: ["silent", "dripping"]) func anAnswerThatNeverEndsHoldsNothing(_ kind: String) async throws {
        try await self.receiver.run { address in
            // Of an hour, which no test has.
            let transport = HTTPWebhookTransport(self.outbound, agent: "test", timeout: .seconds(3_600))
            let target = try Self.target("\(address)/endless/\(kind)")
            let result: Result<[WebhookAnswer], any Error>
            do {
                result = .success(
                    try await withThrowingTaskGroup { group in
                        for _ in 0..<4 { group.addTask { try await transport.post([1], [], to: target, of: "whe_1") } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    })
            } catch {
                result = .failure(error)
            }
            self.receiver.letGo()
            await transport.shutdown()
            #expect(try result.get().map(\.status) == Array(repeating: 200, count: 4))
        }
    }

    @Test func anEndpointThatHangsLeavesOthersAtItsHostAndPortAlone() async throws {
        try await self.receiver.run { address in
            let transport = HTTPWebhookTransport(self.outbound, agent: "test", timeout: .seconds(3_600))
            let (stuck, well) = (try Self.target("\(address)/held"), try Self.target("\(address)/status/200"))
            let result: Result<[WebhookAnswer], any Error>
            do {
                result = .success(
                    try await withThrowingTaskGroup { group in
                        // given: as many as a courier has on their way, and none of them is answered
                        for _ in 0..<64 {
                            group.addTask { _ = try? await transport.post([1], [], to: stuck, of: "whe_stuck") }
                        }
                        await eventually { self.receiver.heldCount == 64 }
                        // when, then: those of another endpoint are
                        var answers: [WebhookAnswer] = []
                        for _ in 0..<100 {
                            answers.append(try await transport.post([1], [], to: well, of: "whe_well"))
                        }
                        group.cancelAll()
                        return answers
                    })
            } catch {
                result = .failure(error)
            }
            self.receiver.letGo()
            await transport.shutdown()
            #expect(try result.get().map(\.status) == Array(repeating: 200, count: 100))
        }
    }

    @Test func aNetworkThatIsNotAllowedIsNotCalled() async throws {
        try await self.receiver.run { address in
            let secure = address.replacing("http:", with: "https:")
            for url in [address, secure, secure.replacing("127.0.0.1", with: "localhost")] {
                let failure = await #expect(throws: DeliveryFailure.self) {
                    _ = try await self.post(to: "\(url)/status/200", through: OutboundGuard())
                }
                #expect(failure?.isAbsence == false)
            }
            #expect(self.receiver.statuses.isEmpty)
        }
    }

    @Test func nobodyThereIsAnAbsence() async throws {
        // Nothing listens at the port of TCP's port service multiplexer.
        let failure = await #expect(throws: DeliveryFailure.self) {
            _ = try await self.post(to: "http://127.0.0.1:1/", timeout: HTTPWebhookTransport.timeout)
        }
        #expect(failure?.isAbsence == true)
        #expect(failure?.reason.contains("127.0.0.1") == false)
    }

    /// Whoever has the public key alone verifies with whatever library has Ed25519.
    @Test(.enabled(if: Self.python != nil, "set PERENNIAL_TEST_PYTHON to a Python that has cryptography"))
    func anotherLibraryAcceptsWhatAKeyPairHasSigned() async throws {
        let node = try PublishingNode()
        try await self.receiver.run { address in
            try await node.run { running in
                // given
                let transport = HTTPWebhookTransport(self.outbound, agent: "test", timeout: .seconds(600))
                let registry = WebhookRegistry(store: node.store, outbound: self.outbound, transport: transport)
                let endpoint = try await registry.create(
                    .init(url: "\(address)/hooks/pair"), signedBy: .ed25519, from: .now)
                let key = try #require(endpoint.keys[0].key?.verificationText)
                // when
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await self.service(node, running, transport).run() }
                    try await running.service.renew(0..<10, period: 0)
                    await eventually { self.receiver.received.count >= 10 }
                    group.cancelAll()
                }
                await transport.shutdown()
                // then
                var deliveries = self.receiver.received.map { delivery in
                    var delivery = delivery
                    delivery.secret = key
                    return delivery
                }
                #expect(try Self.verify(deliveries, with: "verify_with_cryptography.py") == "10")
                // and not when a byte has changed
                for index in deliveries.indices { deliveries[index].body += " " }
                #expect(try Self.verify(deliveries, with: "verify_with_cryptography.py") == "0")
            }
        }
    }

    private func service(
        _ node: PublishingNode, _ running: PublishingNode.Running, _ transport: HTTPWebhookTransport
    ) -> WebhookService {
        WebhookService(
            store: node.store, log: running.service.servedLog, transport: transport, nodeClock: SystemClock(),
            clock: SystemClock(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { $0.webhookBody(as: $1) }
    }

    /// `standardwebhooks` of PyPI is what receivers in Python verify with.
    @Test(
        .enabled(if: Self.python != nil, "set PERENNIAL_TEST_PYTHON to a Python that has standardwebhooks"))
    func theReferenceLibraryAcceptsWhatIsDelivered() async throws {
        let node = try PublishingNode()
        try await self.receiver.run { address in
            try await node.run { running in
                // given an endpoint whose key was changed, and one that has a key pair beside its old secret
                let transport = HTTPWebhookTransport(self.outbound, agent: "test", timeout: .seconds(600))
                let registry = WebhookRegistry(store: node.store, outbound: self.outbound, transport: transport)
                let service = self.service(node, running, transport)
                var secrets: [String: String] = [:]
                for (name, algorithm) in [("old", nil), ("new", .hmac), ("pair", .ed25519)]
                    as [(String, WebhookKey.Algorithm?)]
                {
                    let made = try await registry.create(
                        .init(url: "\(address)/hooks/\(name)"), signedBy: .hmac, from: .now)
                    secrets[name] = made.keys[0].key?.text
                    guard let algorithm else { continue }
                    let changed = try await registry.rotate(made.id, to: algorithm, overlap: 600)
                    if algorithm == .hmac { secrets[name] = changed.keys[0].key?.text }
                }

                // when changes are delivered
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    for period in 0..<3 { try await running.service.renew(0..<10, period: period) }
                    await eventually { self.receiver.received.count >= 90 }
                    group.cancelAll()
                }
                await transport.shutdown()

                // then the library takes each of them
                var deliveries = try self.receiver.received.map { delivery in
                    var delivery = delivery
                    delivery.secret = try #require(secrets[delivery.secret])
                    return delivery
                }
                #expect(try Self.verify(deliveries, with: "verify_with_standardwebhooks.py") == "90")
                // and not with another secret
                deliveries[0].secret.replace(/whsec_..../, with: "whsec_AAAA")
                #expect(try Self.verify([deliveries[0]], with: "verify_with_standardwebhooks.py") == "")
            }
        }
    }

    /// - Returns: what the script says of the deliveries.
    private static func verify(_ deliveries: [HTTPReceiver.Delivery], with script: String) throws -> String {
        let lines = try deliveries.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let file = FileManager.default.temporaryDirectory.appending(path: "deliveries-\(UUID().uuidString)")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: Self.python ?? "")
        process.arguments = [URL(filePath: #filePath).deletingLastPathComponent().appending(path: script).path]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
