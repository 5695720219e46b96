import AppStoreSimulator
import Foundation
import Hummingbird
import PerennialTestSupport
import Synchronization
import Testing

/// Webhooks of three `perennial serve` processes, of which one is killed and one is stopped on the way.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct WebhookTakeOverTests {
    private let cluster: ClusterFixture
    private let receiver = Receiver()

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 600, seed: 31))
    }

    /// Refuses every fifteenth message when it comes for the first time.
    private final class Receiver: Sendable {
        private struct State {
            var count = 0
            var refused: Set<String> = []
            var versions = HeardVersions()
        }

        private let state = Mutex(State())

        var versions: HeardVersions { self.state.withLock(\.versions) }

        private func take(_ body: Data, _ message: String) -> HTTPResponse.Status {
            guard let json = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
                let change = json["data"] as? [String: Any]
            else { return .badRequest }
            return self.state.withLock { state in
                state.count += 1
                guard !state.count.isMultiple(of: 15) || !state.refused.insert(message).inserted else {
                    return .internalServerError
                }
                return state.versions.add(change) ? .noContent : .badRequest
            }
        }

        /// Runs while `body` runs; that gets its address.
        func run(_ body: (String) async throws -> Void) async throws {
            let router = Router()
            router.post("/") { request, _ in
                let message = request.headers[.init("webhook-id")!] ?? ""
                return self.take(Data(try await request.body.collect(upTo: 1 << 20).readableBytesView), message)
            }
            try await router.serve { try await body("\($0)/") }
        }
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(
            number, cluster: "lease: 15s", section: "webhooks: { allow: [\"127.0.0.0/8\"] }")
    }

    @Test("every version reaches a webhook in its order, while nodes are lost", .timeLimit(.minutes(10)))
    func everyVersionArrives() async throws {
        try await self.receiver.run { address in
            // given
            let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
            try await self.cluster.untilDivided(among: nodes)
            let made = try await nodes[1].post("{\"url\":\"\(address)\"}", to: "/v1/webhooks")
            #expect(made.status == 201)

            // when: two nodes are lost while notifications come
            for (index, notification) in self.cluster.corpus.notifications.enumerated() {
                if index == 200 { nodes[2].process.send(SIGKILL) }
                if index == 400 { nodes[1].process.send(SIGTERM) }
                while try await nodes[0].notify(notification.signedPayload) != 200 {}
            }
            try await self.cluster.database.untilInboxIsApplied()

            // then: all arrives, and nothing before what was before it
            let lengths = try await nodes[0].streamLengths()
            #expect(lengths.values.contains { $0 > 2 })
            while !self.receiver.versions.areAll(of: lengths) { try await Task.sleep(for: .milliseconds(100)) }
            self.receiver.versions.expectOrder()
            nodes[0].process.send(SIGTERM)
            #expect(await nodes[0].process.waitForExit() == 0, "\(nodes[0].process.errorOutput)")
        }
    }
}
